//! The words that date and timestamp input knows (`datetktbl` in `datetime.c`).

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `at`, `on`: no meaning at all.
    Ignored,
    Month(i64),
    /// The day of the week, which is read and not checked.
    Weekday,
    Am,
    Pm,
    Ad,
    Bc,
    /// `t` before an ISO time.
    IsoTime,
    /// A label that says what the next number is.
    Label(Label),
    Infinity,
    NegInfinity,
    Epoch,
    Now,
    Today,
    Tomorrow,
    Yesterday,
    /// `allballs`: 00:00:00 UTC.
    AllBalls,
    /// A time zone's abbreviation or name. Types without time zone read and drop it.
    Zone,
    /// `dst` after a zone.
    DaylightModifier,
}

/// A unit that labels the number behind it, as in `y2001m02d04` and `J2451187`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    JulianDay,
    /// Units that no input may label a number with.
    Other,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: &str = " sun sunday mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday ";

/// The abbreviations of the `Default` time zone set and the zone names of letters alone.
const ZONES: &str = " acdt acsst acst act acwst adt aedt aesst aest aft akdt akst almst almt amst amt anast anat arst \
    art ast awsst awst azost azot azst azt bdst bdt bnt bort bot bra brst brt bst btt cadt cast cct cdt cest cet \
    cetdst chadt chast chut ckt clst clt cot cst cxt davt ddut easst east eat edt eest eet eetdst egst egt est fet \
    fjst fjt fkst fkt fnst fnt galt gamt gest get gft gilt gmt gyt hkt hst ict idt iot irkst irkt irt ist jayt jst \
    kdt kgst kgt kost krast krat kst lhdt lhst ligt lint lkt magst magt mart mawt mdt mest mesz met metdst mez mht \
    mmt mpt msd msk mst must mut mvt myt ndt nft novst novt npt nst nut nzdt nzst nzt omsst omst pdt pet petst pett \
    pgt pht pkst pkt pmdt pmst pont pst pwt pyst pyt ret sadt sast sct sgt taht tft tjt tkt tmt tot trut tvt uct \
    ulast ulat ut utc uyst uyt uzst uzt vet vlast vlat volt vut wadt wakt wast wat wdt wet wetdst wft wgst wgt xjt \
    yakst yakt yapt yekst yekt z zulu \
    cuba egypt eire factory gb greenwich hongkong iceland iran israel jamaica japan kwajalein libya navajo nz \
    poland portugal prc roc rok singapore turkey universal localtime posixrules ";

/// Looks up a lower-case word.
pub(super) fn lookup(word: &str) -> Option<Word> {
    // Zone abbreviations take precedence over the built-in words; no word is both.
    Some(match word {
        "infinity" => Word::Infinity,
        "-infinity" => Word::NegInfinity,
        "ad" => Word::Ad,
        "allballs" => Word::AllBalls,
        "am" => Word::Am,
        "at" | "on" => Word::Ignored,
        "bc" => Word::Bc,
        "d" => Word::Label(Label::Day),
        "dow" | "doy" | "isodow" | "isoyear" => Word::Label(Label::Other),
        "dst" => Word::DaylightModifier,
        "epoch" => Word::Epoch,
        "h" => Word::Label(Label::Hour),
        "j" | "jd" | "julian" => Word::Label(Label::JulianDay),
        "m" => Word::Label(Label::Month),
        "mm" => Word::Label(Label::Minute),
        "now" => Word::Now,
        "pm" => Word::Pm,
        "s" => Word::Label(Label::Second),
        "sept" => Word::Month(9),
        "t" => Word::IsoTime,
        "today" => Word::Today,
        "tomorrow" => Word::Tomorrow,
        "y" => Word::Label(Label::Year),
        "yesterday" => Word::Yesterday,
        _ => return lookup_listed(word),
    })
}

fn lookup_listed(word: &str) -> Option<Word> {
    let month = MONTHS
        .iter()
        .position(|month| word == *month || word == &month[..3]);
    if let Some(month) = month {
        return Some(Word::Month(month as i64 + 1));
    }
    let listed = |list: &str| list.split_ascii_whitespace().any(|entry| entry == word);
    if listed(WEEKDAYS) {
        Some(Word::Weekday)
    } else if listed(ZONES) {
        Some(Word::Zone)
    } else {
        None
    }
}

/// True for the words of the core table, which the zones are not in.
pub(super) fn is_core_word(word: &str) -> bool {
    lookup(word).is_some_and(|word| word != Word::Zone)
}
