import { demoId } from '../chance.ts'
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
]

/** Tags, and the alerts that are defined on them. */
export const seedTags: Seeder = async ({ write, world: { plan } }) => {
  const tagId = (name: string) => demoId(`${plan.id} tag ${name}`)
  await write(
    'tag',
    ['id', 'name'],
    plan.tags.map((name) => [tagId(name), name]),
  )
  await write(
    'alert_definition',
    alertColumns,
    plan.alerts.map(({ tag, delay, delayUnit, target, trigger, condition }) => [
      demoId(`${plan.id} alert ${tag} ${trigger}`),
      tagId(tag),
      delay,
      delayUnit,
      target ? 'EMAIL' : 'NONE',
      target ?? '',
      trigger,
      condition,
    ]),
  )
}
