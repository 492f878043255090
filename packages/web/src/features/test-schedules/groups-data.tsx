import { IconAlertTriangleFilled } from '../../icons/index.ts'
import type { DarkNight, GroupRow } from '@caretaker/contract/groups.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import { dateTimeText } from '../../ui/age.ts'
import classes from './test-schedules.module.css'

/** What both tabs show, and what can be done from them. */
export interface GroupsData {
  data: { groups: GroupRow[]; collisions: DarkNight[]; ungrouped: number; hour: string } | undefined
  isError: boolean
  retry: () => void
  mayEdit: boolean
  add: () => void
  /** Opens the dialog of a group, with another start where one is offered. */
  update: (groupName: string, start?: string) => void
  remove: (group: GroupRow) => void
}

/** 'DD/MM/YYYY HH:mm' of a time by the clocks already. */
export const wallText = (wall: string) => dateTimeText(`${wall}:00Z`, 'UTC')

/** That a night leaves a building dark: groups collide, or one holds all its lights. */
export function CollisionChip({ night }: { night: DarkNight }) {
  return (
    <span className={classes.collision}>
      <IconAlertTriangleFilled size={14} aria-hidden />
      {isMovable(night) ? 'Collision' : 'All at once'}
    </span>
  )
}

/** A night in which a group leaves its building dark: before others one that another start would mend. */
export const darkNightOf = (collisions: readonly DarkNight[], groupId: string) =>
  collisions.find(({ runs }) => runs.some((run) => run.groupId === groupId))
