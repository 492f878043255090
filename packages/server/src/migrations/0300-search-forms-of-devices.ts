import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Bytes of each form that an index of both can hold beside what else it has. */
const most = 1150

/** A form is longer than its text where one sign stands for a word, as in \u{FDFA}: then it is cut off. */
const formOf = (text: string) => `case when octet_length(search_form(${text})) <= ${most} then search_form(${text})
  else left(search_form(${text}), ${Math.floor(most / 4)}) end`

/**
 * The same texts as `search` and `search_address` have, in the form in which they are searched. Writes the table anew, some seconds for
 * 100,000 devices.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const whole = ['building_name', 'floor_name', 'room', 'location', 'property_reference']
    .map((column) => ` || ' ' || coalesce(${column}, '')`)
    .join('')
  await sql
    .raw(
      `alter table device
        add column search_form text not null generated always as (${formOf(`serial || ' ' || name${whole}`)}) stored,
        add column search_form_address text not null
          generated always as (${formOf(`coalesce(address, '') || ' ' || coalesce(postcode, '')`)}) stored`,
    )
    .execute(db)
}
