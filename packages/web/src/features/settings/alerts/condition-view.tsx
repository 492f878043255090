import { IconBolt, IconCircleDashed } from '../../../icons/index.ts'
import type { TriggerType } from '@caretaker/rules/alerts/delay.ts'
import { conditionWords } from '@caretaker/rules/alerts/triggers.ts'
import { Connection } from '../../../ui/connection.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import classes from './alerts.module.css'

/** The condition of a rule: a status or connection in its usual look, an event by its name. */
export function ConditionView({ trigger, condition }: { trigger: TriggerType; condition: string }) {
  if (trigger === 'DEVICESTATUS' && condition) return <StatusChip status={condition} exact />
  if (trigger === 'CONNECTIONSTATUS') return <Connection state={condition} />
  if (trigger === 'ALERTABLEEVENT')
    return (
      <span className={classes.event}>
        <IconBolt size={16} stroke={1.7} aria-hidden />
        {conditionWords(trigger, condition)}
      </span>
    )
  return (
    <span className={classes.none} title="A rule without a condition sends no alerts">
      <IconCircleDashed size={16} stroke={1.7} aria-hidden />
      No condition: sends no alerts
    </span>
  )
}
