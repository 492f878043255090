import { useCallback, useMemo, useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAlertTriangleFilled, IconCalendarOff, IconPlus, IconTrash } from '../../icons/index.ts'
import type { DarkNight, GroupRow } from '@caretaker/contract/groups.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import { lightsInNoGroup } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { dateText } from '../../ui/age.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import { useZone } from '../../ui/zone.tsx'
import type { GroupsData } from './groups-data.tsx'
import { CollisionChip, darkNightOf, localTimeText } from './groups-data.tsx'
import { GroupViews } from './group-views.tsx'
import { HealthBar, HealthFigures } from './health.tsx'
import { inDays, lightsText, typeOf } from './words.tsx'
import classes from './test-schedules.module.css'

/** The table of groups, and a schedule view of each. */
export function GroupsTab(props: GroupsData) {
  const { data, isError, retry, mayEdit, add, update, remove } = props
  const zone = useZone()
  const [now] = useState(() => Date.now())
  const isNarrow = useMediaQuery('(width < 75em)', false, { getInitialValueInEffect: false })
  const collisions = data?.collisions
  const columns = useMemo(
    () => columnsFor({ collisions: collisions ?? [], now, zone, isNarrow }),
    [collisions, now, zone, isNarrow],
  )
  const actionsOf = useCallback(
    (row: GroupRow) => <DeleteButton row={row} onPress={() => remove(row)} />,
    // oxlint-disable-next-line react/exhaustive-deps -- the actions of a row are the same in every render
    [],
  )
  const phoneRow = useCallback((row: GroupRow) => <PhoneRow row={row} zone={zone} />, [zone])
  const views = (shown: GroupRow[]) => shown.length > 0 && <GroupViews {...props} groups={shown} now={now} />
  return (
    <div className={classes.tab}>
      <GenericTable
        label="Groups"
        columns={columns}
        rows={data?.groups ?? noGroups}
        rowId={({ groupId }) => groupId}
        {...(mayEdit && { onOpen: ({ groupName }: GroupRow) => update(groupName) })}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={retry}
        actions={
          <>
            <UngroupedNote count={data?.ungrouped ?? 0} />
            <CollisionNote collisions={collisions ?? []} zone={zone} />
          </>
        }
        empty={
          <Empty
            icon={<IconCalendarOff size={18} aria-hidden />}
            text="No tests scheduled"
            hint="A group schedules the tests of its lights."
            action={
              mayEdit && (
                <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
                  Add Group
                </Button>
              )
            }
          />
        }
        phoneRow={phoneRow}
        {...(mayEdit && { rowActions: actionsOf })}
        below={views}
      />
    </div>
  )
}

const noGroups: GroupRow[] = []

/** The number of lights without a group, with a link to them. */
function UngroupedNote({ count }: { count: number }) {
  const { tenant } = useActor()
  if (!count) return undefined
  return (
    <span className={classes.collisionNote}>
      <IconAlertTriangleFilled size={14} aria-hidden />
      {`${lightsText(count)} without a group: no tests are scheduled for ${count === 1 ? 'it' : 'them'}`}
      <AppLink href={listingAddress(tenant, 'EmergencyLights', { filters: lightsInNoGroup })}>See them</AppLink>
    </span>
  )
}

/** Colliding groups, or groups with all lights of their building, with a link. */
function CollisionNote({ collisions, zone }: { collisions: readonly DarkNight[]; zone: string }) {
  const { tenant } = useActor()
  const [first] = collisions
  if (!first) return undefined
  const at = first.runs[0]!.testDate
  const night = dayAt(Date.parse(at), zone)
  return (
    <span className={classes.collisionNote}>
      <IconAlertTriangleFilled size={14} aria-hidden />
      {isMovable(first)
        ? `${first.runs.length} groups collide on ${dateText(at, zone)}`
        : `All ${first.lights} lights of ${first.buildingName} are tested at the same time on ${dateText(at, zone)}`}
      {collisions.length > 1 && ` and ${collisions.length - 1} more`}
      <AppLink href={`${pathTo(tenant, 'EmergencyLightSchedules', 'Plan')}?month=${night.slice(0, 7)}&night=${night}`}>
        Show
      </AppLink>
    </span>
  )
}

/** Whether a night is shown beside a test: a night that cannot be moved is shown only beside its own test. */
const concerns = (night: DarkNight, next: GroupRow['next'][number]) =>
  isMovable(night) || night.runs.some(({ testDate }) => testDate === next.testDate)

interface ColumnsFor {
  collisions: readonly DarkNight[]
  now: number
  zone: string
  isNarrow: boolean
}

function columnsFor({ collisions, now, zone, isNarrow }: ColumnsFor): GenericColumn<GroupRow>[] {
  const start: GenericColumn<GroupRow> = {
    id: 'start',
    header: 'T180 start',
    width: 136,
    value: (row) => row.t180StartDate,
    cell: (row) => localTimeText(row.t180StartDate),
  }
  const next: GenericColumn<GroupRow> = {
    id: 'next',
    header: 'Next test',
    width: 312,
    value: (row) => row.next[0]?.testDate,
    cell: (row) => <NextCell row={row} collisions={collisions} now={now} zone={zone} />,
  }
  return [
    {
      id: 'groupName',
      header: 'Group name',
      width: 176,
      link: true,
      value: (row) => row.groupName,
      cell: (row) => row.groupName,
    },
    {
      id: 'building',
      header: 'Building',
      width: 128,
      value: (row) => row.buildingName,
      cell: (row) => row.buildingName,
    },
    {
      id: 'lights',
      header: 'Lights',
      width: 84,
      align: 'end',
      value: (row) => row.lights,
      cell: (row) => row.lights.toLocaleString('en-GB'),
    },
    {
      id: 'health',
      header: 'Health',
      width: isNarrow ? 136 : 224,
      // Most failures first, then most warnings.
      value: (row) => row.failed * 1e6 + row.warning,
      cell: (row) => (
        <span className={classes.health}>
          {!isNarrow && <HealthBar {...row} />}
          <HealthFigures {...row} />
        </span>
      ),
    },
    // The next test is needed more often than the start, which may be cut off in a narrow window.
    ...(isNarrow ? [next, start] : [start, next]),
  ]
}

type NextCellProps = Pick<ColumnsFor, 'collisions' | 'now' | 'zone'> & { row: GroupRow }

/** The next test, and below it a missed T180. */
function NextCell({ row, collisions, now, zone }: NextCellProps) {
  const [next] = row.next
  const dark = darkNightOf(collisions, row.groupId)
  if (!next || row.lights === 0) return <span className={classes.dimmed}>No tests scheduled</span>
  return (
    <span className={row.missed ? classes.nextCell : undefined}>
      <span className={classes.next}>
        <b>{typeOf(next)}</b>
        {dateText(next.testDate, zone)}
        <span className={classes.dimmed}>{inDays(next.testDate, now, zone)}</span>
        {dark && concerns(dark, next) && <CollisionChip night={dark} />}
      </span>
      {row.missed && <Missed missed={row.missed} zone={zone} />}
    </span>
  )
}

function Missed({ missed, zone }: { missed: NonNullable<GroupRow['missed']>; zone: string }) {
  return (
    <span className={classes.missed}>
      <StatusIcon tone="warning" size={14} />
      {missedText(missed, zone)}
    </span>
  )
}

const missedText = ({ testDate, lights }: NonNullable<GroupRow['missed']>, zone: string) =>
  `T180 of ${dateText(testDate, zone)} missed by ${lightsText(lights)}`

function DeleteButton({ row, onPress }: { row: GroupRow; onPress: () => void }) {
  return (
    <ActionIcon
      size={28}
      title="Delete Group"
      aria-label={`Delete Group: ${row.groupName}`}
      onClick={(event) => {
        event.stopPropagation()
        onPress()
      }}
    >
      <IconTrash size={18} stroke={1.7} aria-hidden />
    </ActionIcon>
  )
}

function PhoneRow({ row, zone }: { row: GroupRow; zone: string }) {
  const [next] = row.next
  return (
    <span className={classes.phoneRow}>
      <span>
        <b>{row.groupName}</b>
        <HealthFigures {...row} />
      </span>
      <span className={classes.dimmed}>
        {row.buildingName}, {lightsText(row.lights)}
        {next && <span>{` ${typeOf(next)} ${dateText(next.testDate, zone)}`}</span>}
      </span>
      {row.missed && <Missed missed={row.missed} zone={zone} />}
    </span>
  )
}
