import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/**
 * An `insert … select` of rows that are known to be new, or with `mayBeThere` of which those that are there already are left as they are.
 * To look for each in every unique index first takes as long again as half of writing it. As a part of another statement, since a
 * distributed database copies what a bare one writes, and the wall between tenants lets nothing be copied.
 */
export const newRows = (insert: RawBuilder<unknown>, mayBeThere = false): RawBuilder<unknown> =>
  mayBeThere
    ? sql`${insert} on conflict do nothing`
    : sql`with written as (${insert} returning tenant_id) select count(*) from written`
