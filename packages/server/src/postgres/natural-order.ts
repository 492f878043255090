import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/** Sorts a text naturally: numbers by value, and case and accents with their letter. */
export const naturally = (text: RawBuilder<unknown>): RawBuilder<string> => sql`${text} collate natural_order`
