/**
 * Natural sort order: numbers by value, letters regardless of case and accents. The database has the same order as the
 * collation `natural_order` (migration 0299).
 */
const { compare } = new Intl.Collator('en-GB', { numeric: true })

export const inNaturalOrder = (a: string, b: string): number => compare(a, b)
