import { formatDialect, postgresql } from "sql-formatter";

/** Lays SQL out anew; null where the formatter does not understand it. */
export function formatSql(sql: string): string | null {
  try {
    return formatDialect(sql, { dialect: postgresql, keywordCase: "preserve", tabWidth: 2, expressionWidth: 72, linesBetweenQueries: 1 });
  } catch {
    return null;
  }
}
