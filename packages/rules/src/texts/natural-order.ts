/**
 * The order in which people read texts: numbers as numbers, and each letter beside itself in capitals and with accents. The database has it
 * as the collation `natural_order` (migration 0299).
 */
const { compare } = new Intl.Collator('en-GB', { numeric: true })

export const inNaturalOrder = (a: string, b: string): number => compare(a, b)
