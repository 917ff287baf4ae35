//! PostgreSQL 15's keywords and where each may stand as a name (`kwlist.h`, `pg_get_keywords()`).

use std::sync::OnceLock;

/// What a keyword may be used for besides its own meaning (`kwlist.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// A column, table, type or function name like any identifier.
    Unreserved,
    /// A column or table name, never a function or type name of a user.
    ColumnName,
    /// A function or type name, never a column or table name.
    TypeFunctionName,
    /// Only a label after AS.
    Reserved,
}

/// One keyword: its spelling, its category and whether it may label a column without AS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    pub word: &'static str,
    pub category: Category,
    pub bare_label: bool,
}

/// The keyword with this lower-case spelling.
pub fn lookup(word: &str) -> Option<Keyword> {
    static TABLE: OnceLock<Vec<Keyword>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    let found = table
        .binary_search_by(|keyword| keyword.word.cmp(word))
        .ok()?;
    Some(table[found])
}

/// Every keyword, sorted by its spelling.
fn table() -> Vec<Keyword> {
    let lists = [
        (UNRESERVED, Category::Unreserved),
        (COLUMN_NAME, Category::ColumnName),
        (TYPE_FUNCTION_NAME, Category::TypeFunctionName),
        (RESERVED, Category::Reserved),
    ];
    let mut table = Vec::new();
    for (words, category) in lists {
        for word in words.split_ascii_whitespace() {
            let bare_label = !NEEDS_AS.split_ascii_whitespace().any(|other| other == word);
            table.push(Keyword {
                word,
                category,
                bare_label,
            });
        }
    }
    table.sort_unstable_by_key(|keyword| keyword.word);
    table
}

const UNRESERVED: &str = "\
    abort absolute access action add admin after aggregate also alter always asensitive \
    assertion assignment at atomic attach attribute backward before begin breadth by cache \
    call called cascade cascaded catalog chain characteristics checkpoint class close \
    cluster columns comment comments commit committed compression configuration conflict \
    connection constraints content continue conversion copy cost csv cube current cursor \
    cycle data database day deallocate declare defaults deferred definer delete delimiter \
    delimiters depends depth detach dictionary disable discard document domain double drop \
    each enable encoding encrypted enum escape event exclude excluding exclusive execute \
    explain expression extension external family filter finalize first following force \
    forward function functions generated global granted groups handler header hold hour \
    identity if immediate immutable implicit import include including increment index \
    indexes inherit inherits inline input insensitive insert instead invoker isolation key \
    label language large last leakproof level listen load local location lock locked logged \
    mapping match matched materialized maxvalue merge method minute minvalue mode month \
    move name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls \
    object of off oids old operator option options ordinality others over overriding owned \
    owner parallel parameter parser partial partition passing password plans policy \
    preceding prepare prepared preserve prior privileges procedural procedure procedures \
    program publication quote range read reassign recheck recursive ref referencing refresh \
    reindex relative release rename repeatable replace replica reset restart restrict \
    return returns revoke role rollback rollup routine routines rows rule savepoint schema \
    schemas scroll search second security sequence sequences serializable server session \
    set sets share show simple skip snapshot sql stable standalone start statement \
    statistics stdin stdout storage stored strict strip subscription support sysid system \
    tables tablespace temp template temporary text ties transaction transform trigger \
    truncate trusted type types uescape unbounded uncommitted unencrypted unknown unlisten \
    unlogged until update vacuum valid validate validator value varying version view views \
    volatile whitespace within without work wrapper write xml year yes zone";

const COLUMN_NAME: &str = "\
    between bigint bit boolean char character coalesce dec decimal exists extract float \
    greatest grouping inout int integer interval least national nchar none normalize nullif \
    numeric out overlay position precision real row setof smallint substring time timestamp \
    treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest \
    xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";

const TYPE_FUNCTION_NAME: &str = "\
    authorization binary collation concurrently cross current_schema freeze full ilike \
    inner is isnull join left like natural notnull outer overlaps right similar tablesample \
    verbose";

const RESERVED: &str = "\
    all analyse analyze and any array as asc asymmetric both case cast check collate column \
    constraint create current_catalog current_date current_role current_time \
    current_timestamp current_user default deferrable desc distinct do else end except \
    false fetch for foreign from grant group having in initially intersect into lateral \
    leading limit localtime localtimestamp not null offset on only or order placing primary \
    references returning select session_user some symmetric table then to trailing true \
    union unique user using variadic when where window with";

/// Keywords that label a column only after AS (`AS_LABEL`).
const NEEDS_AS: &str = "\
    array as char character create day except fetch filter for from grant group having hour \
    intersect into isnull limit minute month notnull offset on order over overlaps \
    precision returning second to union varying where window with within without year";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_postgresqls() {
        assert_eq!(
            lookup("select").map(|k| k.category),
            Some(Category::Reserved)
        );
        assert_eq!(
            lookup("between").map(|k| k.category),
            Some(Category::ColumnName)
        );
        assert_eq!(
            lookup("left").map(|k| k.category),
            Some(Category::TypeFunctionName)
        );
        assert_eq!(
            lookup("vacuum").map(|k| k.category),
            Some(Category::Unreserved)
        );
        assert_eq!(lookup("top"), None);
        assert_eq!(lookup("qualify"), None);
        assert_eq!(lookup("year").map(|k| k.bare_label), Some(false));
        assert_eq!(table().len(), 460);
    }
}
