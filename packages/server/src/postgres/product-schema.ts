import { readFileSync } from 'node:fs'

/** What the product's migrations have made in a database. */
export interface ProductSchema {
  /** Its tables with their schema, each with the columns that are stored. */
  tables: ReadonlyMap<string, readonly string[]>
  /** Its functions, each with its schema and the types of its arguments. */
  functions: readonly string[]
}

/** What one migration changes: the columns of a table after it, separated by spaces; null for a table that it drops. */
export interface SchemaChange {
  tables?: Record<string, string | null>
  functions?: string[]
}

/** Generated from the migrations by `npm run migrations:lock`; product-schema.test.ts compares it with what they make. */
const recorded = JSON.parse(readFileSync(new URL('../migrations/tables.json', import.meta.url), 'utf8')) as Record<
  string,
  SchemaChange
>

/** The schema of a database in which these migrations were applied; migrations that are unknown here add nothing. */
export function schemaAfter(migrations: readonly string[]): ProductSchema {
  const tables = new Map<string, readonly string[]>()
  const functions = new Set<string>()
  for (const name of migrations.toSorted()) {
    const change = recorded[name]
    for (const [table, columns] of Object.entries(change?.tables ?? {}))
      if (columns === null) tables.delete(table)
      else tables.set(table, columns.split(' '))
    for (const one of change?.functions ?? []) functions.add(one)
  }
  return { tables, functions: [...functions] }
}
