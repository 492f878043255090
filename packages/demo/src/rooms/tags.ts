import { demoId } from '../chance.ts'
import { alertId } from './alerts.ts'
import type { Seeder } from '../seeding.ts'

const alertColumns = [
  'id',
  'tag_id',
  'delay',
  'delay_unit',
  'notification_type',
  'notification_target',
  'trigger_type',
  'trigger_condition',
  'defined_by_tenant',
  'changed_at',
]

/** Tags, and the alerts that are defined on them. */
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
      const { tag, delay, delayUnit, target, trigger, condition, isFixed } = rule
      return [
        alertId(plan.id, rule),
        tagId(tag),
        delay,
        delayUnit,
        isFixed ? 'EMAILUNEDITABLE' : target ? 'EMAIL' : 'NONE',
        target ?? '',
        trigger,
        condition,
        !isFixed,
        new Date(now - 400 * 86_400_000),
      ]
    }),
  )
}
