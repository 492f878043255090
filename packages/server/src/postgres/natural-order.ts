import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/** A text in the order in which people read: numbers as numbers, case and accents beside their letter. */
export const naturally = (text: RawBuilder<unknown>): RawBuilder<string> => sql`${text} collate natural_order`
