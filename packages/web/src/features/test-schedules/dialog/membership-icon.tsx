import {
  IconAlertTriangleFilled,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashedMinus,
  IconCirclePlusFilled,
  IconSquareArrowRightFilled,
} from '../../../icons/index.ts'
import type { Membership } from '@caretaker/rules/lighting/groups.ts'
import classes from './group-dialog.module.css'

/** Six shapes, none in a status colour; blue marks changes by the user. */
const icons = {
  inGroup: IconCircleCheckFilled,
  addedToGroup: IconCirclePlusFilled,
  removedFromGroup: IconCircleDashedMinus,
  noGroup: IconCircle,
  anotherGroup: IconSquareArrowRightFilled,
  conflictingGroup: IconAlertTriangleFilled,
} as const satisfies Record<Membership, unknown>

export const membershipWords: Record<Membership, string> = {
  inGroup: 'In group',
  addedToGroup: 'Added',
  removedFromGroup: 'Removed',
  noGroup: 'No group',
  anotherGroup: 'Another group',
  conflictingGroup: 'Conflicting group',
}

export function MembershipIcon({ membership, size = 18 }: { membership: Membership; size?: number }) {
  const Icon = icons[membership]
  return <Icon size={size} className={classes.membership} data-membership={membership} aria-hidden />
}
