import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { Fault } from '@caretaker/rules/provisioning/fault.ts'
import type { Comparison } from '@caretaker/rules/provisioning/filter.ts'
import { schemas } from '@caretaker/rules/provisioning/attributes.ts'
import { comparedName } from '@caretaker/rules/provisioning/values.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

type Condition = RawBuilder<boolean>

const never = sql<boolean>`false`
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The condition of a comparison in SQL; ids and names as texts. */
type Conditions = Readonly<Record<string, (tx: TenantTx, value: string, comparison: Comparison) => Condition>>

const isId = (value: string) => (uuid.test(value) ? sql<boolean>`id = ${value}` : never)

const ofUsers: Conditions = {
  id: (_, value) => isId(value),
  username: (_, value) => sql<boolean>`compared_user_name = ${comparedName(value)}`,
  externalid: (_, value) => sql<boolean>`external_id = ${value}`,
  displayname: (_, value) => sql<boolean>`lower(attributes->>'displayName') = ${value.toLowerCase()}`,
  active: (_, value) => sql<boolean>`active = ${booleanIn(value)}`,
  emails: (_, value, { values }) => {
    const type = typeIn(values)
    const isOfType = type === undefined ? sql`true` : sql`lower(one->>'type') = ${type}`
    return sql<boolean>`exists (select from jsonb_array_elements(attributes->'emails') as one
      where lower(one->>'value') = ${value.toLowerCase()} and ${isOfType})`
  },
}

const ofGroups: Conditions = {
  id: (_, value) => isId(value),
  displayname: (_, value) => sql<boolean>`compared_name = ${comparedName(value)}`,
  externalid: (_, value) => sql<boolean>`external_id = ${value}`,
  members: (tx, value) =>
    uuid.test(value)
      ? sql<boolean>`exists (select from scim_group_member as member where member.tenant_id = ${tx.tenant}
          and member.group_id = scim_group.id and member.user_id = ${value})`
      : never,
}

/** Attributes whose values have parts; the filter compares `value`. */
const withParts = new Set(['emails', 'members'])

export const userConditions = (tx: TenantTx, comparisons: readonly Comparison[]) =>
  comparisons.map((one) => conditionOf(tx, one, { conditions: ofUsers, schema: schemas.user }))
export const groupConditions = (tx: TenantTx, comparisons: readonly Comparison[]) =>
  comparisons.map((one) => conditionOf(tx, one, { conditions: ofGroups, schema: schemas.group }))

function conditionOf(
  tx: TenantTx,
  comparison: Comparison,
  { conditions, schema }: { conditions: Conditions; schema: string },
): Condition {
  const { attribute, sub, values, value } = comparison
  const condition = conditions[attribute]
  const hasParts = withParts.has(attribute)
  const isKnown = comparison.schema === undefined || comparison.schema === schema.toLowerCase()
  const fits = hasParts ? sub === undefined || sub === 'value' : sub === undefined && !values
  if (!condition || !isKnown || !fits)
    throw new Fault(
      'invalidFilter',
      `Filters do not compare this attribute: ${[attribute, sub].filter(Boolean).join('.')}`,
    )
  if (value === null) return never
  return condition(tx, String(value), comparison)
}

function booleanIn(value: string): boolean {
  const lower = value.toLowerCase()
  if (lower !== 'true' && lower !== 'false')
    throw new Fault('invalidFilter', 'active must be compared with true or false.')
  return lower === 'true'
}

function typeIn(values: readonly Comparison[] | undefined): string | undefined {
  const [one, ...others] = values ?? []
  if (!one) return undefined
  if (others.length || one.attribute !== 'type' || typeof one.value !== 'string')
    throw new Fault('invalidFilter', 'Select e-mail addresses with type eq and a string.')
  return one.value.toLowerCase()
}
