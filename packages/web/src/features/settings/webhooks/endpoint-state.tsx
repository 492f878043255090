import { IconAlertTriangleFilled, IconCircleCheckFilled, IconPlayerPauseFilled } from '../../../icons/index.ts'
import type { WebhookEndpoint } from '@caretaker/contract/webhooks.ts'
import classes from '../integrations.module.css'

const words = {
  active: { word: 'Active', group: 'passed', Icon: IconCircleCheckFilled },
  failing: { word: 'Failing', group: 'warning', Icon: IconAlertTriangleFilled },
  disabled: { word: 'Disabled', group: 'none', Icon: IconPlayerPauseFilled },
} as const

export const stateOf = ({ disabled, failingSince }: WebhookEndpoint) =>
  words[disabled ? 'disabled' : failingSince ? 'failing' : 'active']

export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { word, group, Icon } = stateOf(endpoint)
  return (
    <span className={classes.chip} data-group={group}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  )
}
