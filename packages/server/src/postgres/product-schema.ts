import { readFileSync } from 'node:fs'

/** The objects that the product's migrations create in a database. */
export interface ProductSchema {
  /** Tables by name including their schema, with their stored columns. */
  tables: ReadonlyMap<string, readonly string[]>
  /** Functions, with their schema and argument types. */
  functions: readonly string[]
}

/** The changes of one migration: the columns of each table after it, separated by spaces; null for a dropped table. */
export interface SchemaChange {
  tables?: Record<string, string | null>
  functions?: string[]
}

/**
 * Generated from the migrations by `npm run migrations:lock`; product-schema.test.ts compares it with what they
 * create.
 */
const recorded = JSON.parse(readFileSync(new URL('../migrations/tables.json', import.meta.url), 'utf8')) as Record<
  string,
  SchemaChange
>

/** The schema of a database with these migrations applied; unknown migrations add nothing. */
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
