import { sql } from 'kysely'
import type { Family } from '@caretaker/rules/devices/products.ts'
import type { Scope, ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The tags of a rule: the single tag of earlier versions, or the list of this one. */
export const tagsOfRule = sql<string[]>`case when rule.tag_id is null then rule.scope_tags else array[rule.tag_id] end`

interface ScopeRow {
  families: Family[]
  buildingIds: string[]
  tagIds: string[]
  names: Record<string, string>
}

/** The scope of a row of `alert_definition as rule`, with the names of its buildings and tags. */
export const scopeColumn = (tx: TenantTx) =>
  sql<ScopeRow>`jsonb_build_object('families', to_jsonb(rule.scope_families), 'buildingIds', to_jsonb(rule.scope_buildings),
    'tagIds', to_jsonb(${tagsOfRule}), 'names', coalesce((
      select jsonb_object_agg(building.id, building.name) from building
      where building.tenant_id = ${tx.tenant} and building.id = any(rule.scope_buildings)), '{}') || coalesce((
      select jsonb_object_agg(tag.id, tag.name) from tag
      where tag.tenant_id = ${tx.tenant} and tag.id = any(${tagsOfRule})), '{}'))`.as('scope')

export const scopeIn = ({ families, buildingIds, tagIds }: ScopeRow) =>
  ({ families, buildingIds, tagIds }) satisfies Scope

/** The names in a scope, sorted as people expect. */
export function namesIn({ families, buildingIds, tagIds, names }: ScopeRow): ScopeNames {
  const named = (ids: readonly string[], unknown: string) =>
    ids.map((id) => names[id] ?? unknown).toSorted((a, b) => a.localeCompare(b))
  return { families, buildings: named(buildingIds, 'a deleted building'), tags: named(tagIds, 'a deleted tag') }
}

/** The columns of a scope. A single tag is stored as earlier versions read it. */
export function scopeValues({ families, buildingIds, tagIds }: Scope) {
  const isOneTag = tagIds.length === 1 && !families.length && !buildingIds.length
  return {
    tag_id: isOneTag ? tagIds[0]! : null,
    scope_families: sql<Family[]>`${[...families]}::text[]`,
    scope_buildings: sql<string[]>`${[...buildingIds]}::uuid[]`,
    scope_tags: sql<string[]>`${isOneTag ? [] : [...tagIds]}::uuid[]`,
  }
}
