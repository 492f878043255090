import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { IconMinus, IconPlus, IconSearch } from '../../../icons/index.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Membership } from '@caretaker/rules/lighting/groups.ts'
import { StatusIcon, toneOfGroup } from '../../../ui/status-icon.tsx'
import { Empty } from '../../../ui/states.tsx'
import { filteredRows } from '../../../ui/table-rows.ts'
import type { ChosenLight } from './choice.ts'
import { MembershipIcon } from './membership-icon.tsx'
import classes from './group-dialog.module.css'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

export interface ListProps {
  lights: readonly ChosenLight[]
  /** The hovered light, in the list and on the map. */
  pointed: string | undefined
  onPoint: (deviceId: string) => void
  onTurn: (deviceIds: readonly string[], isChosen: boolean) => void
}

/** Lights outside the group can be added together, as filtered by the search. */
const sections: readonly { title: string; holds: readonly Membership[]; adds?: true }[] = [
  { title: 'In group', holds: ['addedToGroup', 'inGroup'] },
  { title: 'Removed', holds: ['removedFromGroup'] },
  { title: 'No group', holds: ['noGroup'], adds: true },
  { title: 'Conflicting group', holds: ['conflictingGroup'], adds: true },
  { title: 'Another group', holds: ['anotherGroup'], adds: true },
]

/** All lights of the building, by membership. */
export function DeviceList({ lights, ...list }: ListProps) {
  const [search, setSearch] = useState('')
  const found = filteredRows(lights, search, (light) => [
    light.deviceName,
    light.serialNumber,
    light.room,
    light.floorName,
  ])
  return (
    <>
      <div className={classes.search}>
        <TextInput
          type="search"
          aria-label="Search lights"
          placeholder="Name, serial number or room"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <div className={classes.scroll}>
        {sections.map(({ title, holds, adds }) => {
          const some = found.filter(({ membership }) => holds.includes(membership))
          if (!some.length) return undefined
          // Changed lights are first.
          const inOrder = some.toSorted((a, b) => holds.indexOf(a.membership) - holds.indexOf(b.membership))
          return (
            <section key={title} aria-label={title}>
              <h4 className={classes.sectionHead}>
                {title} <span>{some.length}</span>
                {title === 'Another group' && <small>{groupNames(some)}</small>}
                {adds && some.length > 1 && (
                  <button
                    type="button"
                    aria-label={`Add all: ${title}`}
                    onClick={() =>
                      list.onTurn(
                        some.map(({ deviceId }) => deviceId),
                        true,
                      )
                    }
                  >
                    Add all
                  </button>
                )}
              </h4>
              <ul>
                {inOrder.map((light) => (
                  <LightRow key={light.deviceId} light={light} {...list} />
                ))}
              </ul>
            </section>
          )
        })}
        {lights.length > 0 && found.length === 0 && <Empty text="No matching lights" />}
        {lights.length === 0 && <Empty text="No lights" hint="This building has no emergency lights on its floors." />}
      </div>
    </>
  )
}

/** The groups of the lights with counts: 'Calder Wharf east 12, Calder Wharf west 5'. */
export function groupNames(lights: readonly ChosenLight[]): string {
  const groups = Map.groupBy(
    lights.filter(({ groupName }) => groupName !== null),
    ({ groupName }) => groupName!,
  )
  return [...groups]
    .toSorted(([a, some], [b, others]) => others.length - some.length || inNaturalOrder(a, b))
    .map(([name, some]) => `${name} ${some.length}`)
    .join(', ')
}

interface LightRowProps extends Omit<ListProps, 'lights'> {
  light: ChosenLight
}

export function LightRow({ light, pointed, onPoint, onTurn }: LightRowProps) {
  const { deviceId, membership, deviceName } = light
  const isChosen = membership === 'inGroup' || membership === 'addedToGroup'
  const isChanged = membership === 'addedToGroup' || membership === 'removedFromGroup'
  const group = displayGroup(light.deviceStatus) ?? 'NotInstalled'
  const isElsewhere = membership === 'anotherGroup' || membership === 'conflictingGroup'
  const other = light.conflict?.groupName ?? (isElsewhere ? light.groupName : null)
  const place = [light.floorName, other ?? light.room].filter(Boolean).join(', ')
  const turn = () => {
    onTurn([deviceId], !isChosen)
    onPoint(deviceId)
  }
  return (
    <li
      className={classes.light}
      data-changed={isChanged || undefined}
      data-pointed={pointed === deviceId || undefined}
    >
      <MembershipIcon membership={membership} />
      <button type="button" className={classes.lightName} onClick={() => onPoint(deviceId)}>
        <b>{deviceName}</b>
        <span>
          {light.serialNumber} · {place}
        </span>
      </button>
      {group !== 'Passed' && <StatusIcon tone={toneOfGroup[group]} size={14} />}
      {isChanged ? (
        <Button variant="default" onClick={turn} aria-label={`Undo: ${deviceName}`}>
          Undo
        </Button>
      ) : (
        <button
          type="button"
          className={classes.turn}
          onClick={turn}
          aria-label={`${isChosen ? 'Remove' : 'Add'}: ${deviceName}`}
        >
          {isChosen ? <IconMinus size={16} aria-hidden /> : <IconPlus size={16} aria-hidden />}
        </button>
      )}
    </li>
  )
}
