/** TPC-H's names of its queries, from q1. */
export const TITLES = [
  "Pricing summary report",
  "Minimum cost supplier",
  "Shipping priority",
  "Order priority checking",
  "Local supplier volume",
  "Forecasting revenue change",
  "Volume shipping",
  "National market share",
  "Product type profit measure",
  "Returned item reporting",
  "Important stock identification",
  "Shipping modes and order priority",
  "Customer distribution",
  "Promotion effect",
  "Top supplier",
  "Parts and supplier relationship",
  "Small-quantity-order revenue",
  "Large volume customer",
  "Discounted revenue",
  "Potential part promotion",
  "Suppliers who kept orders waiting",
  "Global sales opportunity",
] as const;

/** `q01`, as the mail and the files name a query. */
export function queryName(query: number): string {
  return `q${String(query).padStart(2, "0")}`;
}
