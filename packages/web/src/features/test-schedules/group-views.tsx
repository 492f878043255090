import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconCircleXFilled, IconMapPin, IconPencil } from '../../icons/index.ts'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { dateText } from '../../ui/age.ts'
import { AppLink } from '../../ui/link.tsx'
import { useZone } from '../../ui/zone.tsx'
import type { GroupsData } from './groups-data.tsx'
import { CollisionChip, darkNightOf } from './groups-data.tsx'
import { GroupView } from './group-view.tsx'
import { HealthFigures } from './health.tsx'
import { typeOf } from './words.tsx'
import classes from './test-schedules.module.css'

/** One schedule view per group of the table page, in its order, each expandable. */
export function GroupViews(props: GroupsData & { groups: GroupRow[]; now: number }) {
  const { groups } = props
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(groups.slice(0, 1).map(({ groupId }) => groupId)))
  const isAllOpen = groups.every(({ groupId }) => open.has(groupId))
  const turn = (id: string) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  return (
    <div className={classes.views}>
      <header className={classes.viewsHead}>
        <h2>Schedules</h2>
        <span className={classes.dimmed}>of the groups above, in the same order</span>
        <button
          type="button"
          className={classes.textButton}
          onClick={() => setOpen(new Set(isAllOpen ? [] : groups.map(({ groupId }) => groupId)))}
        >
          {isAllOpen ? 'Close all' : 'Open all'}
        </button>
      </header>
      {groups.map((group) => (
        <View
          key={group.groupId}
          {...props}
          group={group}
          isOpen={open.has(group.groupId)}
          onTurn={() => turn(group.groupId)}
        />
      ))}
    </div>
  )
}

interface ViewProps extends GroupsData {
  group: GroupRow
  now: number
  isOpen: boolean
  onTurn: () => void
}

function View({ group, now, isOpen, onTurn, mayEdit, update, data }: ViewProps) {
  const zone = useZone()
  const actor = useActor()
  const dark = darkNightOf(data?.collisions ?? [], group.groupId)
  const [map, setMap] = useState<string>()
  return (
    <section className={classes.view} aria-label={`Schedule for ${group.groupName}`} data-open={isOpen || undefined}>
      <header className={classes.viewHead}>
        <button type="button" className={classes.turn} aria-expanded={isOpen} onClick={onTurn}>
          {isOpen ? <IconChevronDown size={18} aria-hidden /> : <IconChevronRight size={18} aria-hidden />}
          <b>{group.groupName}</b>
        </button>
        {isOpen ? (
          <span className={classes.viewPlace}>
            <span>{group.buildingName}</span>
            <span className={classes.dimmed}>{group.address}</span>
            {group.failed > 0 && (
              <span className={classes.failedChip}>
                <IconCircleXFilled size={14} aria-hidden />
                {group.failed} failed
              </span>
            )}
            {dark && <CollisionChip night={dark} />}
          </span>
        ) : (
          <>
            <span className={classes.viewBuilding}>{group.buildingName}</span>
            <HealthFigures {...group} />
            <span className={classes.nexts}>
              {group.lights > 0 &&
                group.next.map((next) => (
                  <span key={next.testType}>
                    <b>{typeOf(next)}</b> {dateText(next.testDate, zone).slice(0, 5)}
                  </span>
                ))}
              {group.lights === 0 && 'No tests scheduled'}
            </span>
            {dark && <CollisionChip night={dark} />}
          </>
        )}
        {isOpen && (
          <span className={classes.viewActions}>
            {map !== undefined && can(actor, 'see maps') && (
              <Button
                component={AppLink}
                href={`${pathTo(actor.tenant, 'FloorPlan')}?deviceId=${map}`}
                variant="default"
                leftSection={<IconMapPin size={16} aria-hidden />}
              >
                Go To Map
              </Button>
            )}
            {mayEdit && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                onClick={() => update(group.groupName)}
              >
                Update group
              </Button>
            )}
          </span>
        )}
      </header>
      {isOpen && <GroupView group={group} now={now} onLights={(ids) => setMap(ids[0])} />}
    </section>
  )
}
