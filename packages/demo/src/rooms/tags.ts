import { demoId } from '../chance.ts'
import { alertId } from './alerts.ts'
import type { Seeder } from '../seeding.ts'

const alertColumns = [
  'id',
  'tag_id',
  'scope_families',
  'delay',
  'delay_unit',
  'notification_type',
  'notification_target',
  'trigger_type',
  'trigger_condition',
  'defined_by_tenant',
  'changed_at',
]

/** Creates the tags and alert rules of a client. */
export const seedTags: Seeder = async ({ write, now, world: { plan } }) => {
  const tagId = (name: string) => demoId(`${plan.id} tag ${name}`)
  await write(
    'tag',
    ['id', 'name'],
    plan.tags.map((name) => [tagId(name), name]),
  )
  await write(
    'alert_definition',
    alertColumns,
    plan.alerts.map((rule) => {
      const { tag, families = [], delay, delayUnit, target, trigger, condition, isFixed, isDefault } = rule
      return [
        alertId(plan.id, rule),
        tag === undefined ? null : tagId(tag),
        `{${families.join()}}`,
        delay,
        delayUnit,
        isFixed ? 'EMAILUNEDITABLE' : target ? 'EMAIL' : 'NONE',
        target ?? '',
        trigger,
        condition,
        !isFixed && !isDefault,
        new Date(now - 400 * 86_400_000),
      ]
    }),
  )
}
