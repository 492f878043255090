import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/**
 * An `insert … select` of rows known to be new; with `mayBeThere`, existing rows are skipped. Checking every unique
 * index first would add half of the writing time. It is used inside a larger statement, because a distributed
 * database would use COPY for a plain insert, which row-level security forbids.
 */
export const newRows = (insert: RawBuilder<unknown>, mayBeThere = false): RawBuilder<unknown> =>
  mayBeThere
    ? sql`${insert} on conflict do nothing`
    : sql`with written as (${insert} returning tenant_id) select count(*) from written`
