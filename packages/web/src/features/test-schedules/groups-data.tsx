import { IconAlertTriangleFilled } from '../../icons/index.ts'
import type { DarkNight, GroupRow } from '@caretaker/contract/groups.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import { dateTimeText } from '../../ui/age.ts'
import classes from './test-schedules.module.css'

/** The data and actions shared by both tabs. */
export interface GroupsData {
  data: { groups: GroupRow[]; collisions: DarkNight[]; ungrouped: number; hour: string } | undefined
  isError: boolean
  retry: () => void
  mayEdit: boolean
  add: () => void
  /** Opens the dialog of a group, optionally with a suggested start. */
  update: (groupName: string, start?: string) => void
  remove: (group: GroupRow) => void
}

/** 'DD/MM/YYYY HH:mm' of a time that is already local. */
export const localTimeText = (local: string) => dateTimeText(`${local}:00Z`, 'UTC')

/** A chip for a night that leaves a building without working lights: colliding groups, or one group with all lights. */
export function CollisionChip({ night }: { night: DarkNight }) {
  return (
    <span className={classes.collision}>
      <IconAlertTriangleFilled size={14} aria-hidden />
      {isMovable(night) ? 'Collision' : 'All at once'}
    </span>
  )
}

/** A night in which a group leaves its building without working lights; nights that can be moved are first. */
export const darkNightOf = (collisions: readonly DarkNight[], groupId: string) =>
  collisions.find(({ runs }) => runs.some((run) => run.groupId === groupId))
