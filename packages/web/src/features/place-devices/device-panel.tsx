import { useEffect, useRef, useState } from 'react'
import { Button, Checkbox, Progress, TextInput } from '@mantine/core'
import { IconArrowBackUp, IconMinus, IconPlus, IconSearch } from '../../icons/index.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { displayGroup, hasFailed, severityOf, statusText } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { nameOf, notPlacedText } from '../../plans/device-look.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusIcon, toneOfGroup } from '../../ui/status-icon.tsx'
import { filteredRows } from '../../ui/table-rows.ts'
import { AddDevices } from './add-devices.tsx'
import { RowHandle } from './row-handle.tsx'
import type { Taken } from './use-placing.ts'
import classes from './place-devices.module.css'

interface DevicePanelProps {
  building: string
  devices: readonly FloorDevice[]
  isOnPlan: (device: FloorDevice) => boolean
  /** Whether the user may place devices, or only view them. */
  mayPlace: boolean
  carried: string | undefined
  selected: string | undefined
  onChoose: (device: FloorDevice) => void
  onGrip: (devices: readonly Taken[], event: React.PointerEvent) => void
  /** A press on a row, which becomes a drag after some distance. */
  onPull: (devices: readonly Taken[], event: React.PointerEvent) => void
  onLayOut: (devices: readonly FloorDevice[]) => void
  /** Confirms that devices are where they were arranged. */
  onConfirm: (devices: readonly FloorDevice[]) => void
  onPut: (devices: readonly Taken[]) => void
  /** Whether a device without a floor is being added to this floor. */
  isComing: (deviceId: string) => boolean
  last: { undo: () => void; words: string } | undefined
}

/** The devices of the floor, unplaced ones first; also the access by keyboard. */
export function DevicePanel(props: DevicePanelProps) {
  const { building, devices, isOnPlan, mayPlace, onLayOut, onConfirm, onGrip, onPull, onPut, isComing, last } = props
  const mayAdd = can(useActor(), 'place device')
  const [search, setSearch] = useState('')
  // A new floor has nothing else to show.
  const [isAdding, setAdding] = useState(devices.length === 0)
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const found = filteredRows(devices, search, (device) => [device.deviceName, device.serialNumber, device.room])
  const left = found.filter((device) => !isOnPlan(device))
  const on = found.filter(isOnPlan).toSorted((a, b) => severityOf(b.deviceStatus) - severityOf(a.deviceStatus))
  const placed = devices.filter(({ lat, long }) => lat !== null && long !== null)
  const outside = placed.filter((device) => !isOnPlan(device)).length
  const rough = placed.filter(({ isRoughlyPlaced }) => isRoughlyPlaced)
  const unplaced = devices.filter((device) => !placed.includes(device))
  const free = left.filter(({ mayPlace }) => mayPlace)
  const chosen = free.filter(({ deviceId }) => ticked.has(deviceId))
  const tick = (ids: readonly string[], on: boolean) =>
    setTicked((all) => (on ? new Set([...all, ...ids]) : new Set([...all].filter((id) => !ids.includes(id)))))
  const takenBy = (device: FloorDevice): Taken[] =>
    (ticked.has(device.deviceId) ? chosen : [device]).map((one) => ({ device: one }))
  // Added devices are at the top, where the user can see and reach them.
  const rows = useRef<HTMLDivElement>(null)
  const putUpon = useRef<readonly FloorDevice[]>(undefined)
  useEffect(() => {
    if (!putUpon.current || putUpon.current === devices) return
    putUpon.current = undefined
    const [first] = rows.current!.children
    first?.scrollIntoView({ block: 'start' })
    first?.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true })
  }, [devices])
  return (
    <aside className={classes.panel} aria-label="Devices of this floor">
      <header>
        <h1>Place devices</h1>
        <span>
          {placed.length} of {devices.length} placed
          {rough.length > 0 && `, ${rough.length} of them roughly`}
          {outside > 0 && `, ${outside} outside the plan`}
        </span>
        {unplaced.length > 0 && (
          <span>
            {notPlacedText(unplaced.length, unplaced.filter(({ deviceStatus }) => hasFailed(deviceStatus)).length)}
          </span>
        )}
        <Progress
          className={classes.progress}
          aria-label="Placed"
          value={devices.length ? (100 * placed.length) / devices.length : 0}
          size="sm"
        />
      </header>
      <div className={classes.search}>
        <TextInput
          type="search"
          aria-label="Find a light or serial number"
          placeholder="Find a light or serial number"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <div className={classes.rows} ref={rows}>
        {left.length > 0 && (
          <section aria-label="Not on the plan">
            <div className={classes.sectionHead}>
              {free.length > 0 && (
                <Checkbox
                  aria-label="Select all"
                  checked={chosen.length === free.length}
                  indeterminate={chosen.length > 0 && chosen.length < free.length}
                  onChange={(event) =>
                    tick(
                      free.map(({ deviceId }) => deviceId),
                      event.currentTarget.checked,
                    )
                  }
                />
              )}
              <h2>Not on the plan</h2>
              {chosen.length > 0 && (
                <Button
                  size="compact-sm"
                  onClick={() => {
                    setTicked(new Set())
                    onLayOut(chosen)
                  }}
                >
                  Lay out {chosen.length}
                </Button>
              )}
            </div>
            <ul>
              {left.map((device) => (
                <DeviceRow
                  key={device.deviceId}
                  {...props}
                  device={device}
                  takenBy={takenBy}
                  isTicked={ticked.has(device.deviceId)}
                  onTick={(isTicked) => tick([device.deviceId], isTicked)}
                />
              ))}
            </ul>
          </section>
        )}
        {on.length > 0 && (
          <section aria-label="On the plan">
            <div className={classes.sectionHead}>
              <h2>On the plan</h2>
              {rough.some((device) => device.mayPlace && isOnPlan(device)) && (
                <Button
                  size="compact-sm"
                  onClick={() => onConfirm(rough.filter((device) => device.mayPlace && isOnPlan(device)))}
                >
                  Confirm {rough.filter((device) => device.mayPlace && isOnPlan(device)).length} roughly placed
                </Button>
              )}
            </div>
            <ul>
              {on.map((device) => (
                <DeviceRow key={device.deviceId} {...props} device={device} />
              ))}
            </ul>
          </section>
        )}
        {devices.length === 0 &&
          (isAdding && mayAdd ? (
            <p className={classes.first}>Select the devices on this floor and drag them onto the plan.</p>
          ) : (
            <Empty text="No devices" hint="There are no devices on this floor that you have access to." />
          ))}
        {devices.length > 0 && found.length === 0 && <Empty text="No matching devices" />}
        {isAdding && mayAdd && (
          <AddDevices
            building={building}
            find={search}
            isComing={isComing}
            onPut={(taken) => {
              putUpon.current = devices
              // The next step is to arrange them.
              tick(
                taken.map(({ device }) => device.deviceId),
                true,
              )
              onPut(taken)
            }}
            onGrip={onGrip}
            onPull={onPull}
          />
        )}
      </div>
      <footer data-foot="high">
        <p>
          {mayPlace
            ? 'Each move is saved immediately. Keyboard: choose a light, move it with the arrow keys, Enter to drop, Esc to cancel.'
            : 'You can see where devices are but cannot place them.'}
        </p>
        <div className={classes.ways}>
          {last && (
            <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={last.undo}>
              {last.words}
            </Button>
          )}
          {mayAdd && (
            <Button
              variant="default"
              leftSection={isAdding ? <IconMinus size={16} aria-hidden /> : <IconPlus size={16} aria-hidden />}
              onClick={() => setAdding(!isAdding)}
            >
              {isAdding ? 'Hide devices without a floor' : 'Add devices'}
            </Button>
          )}
        </div>
      </footer>
    </aside>
  )
}

interface DeviceRowProps extends Pick<
  DevicePanelProps,
  'carried' | 'selected' | 'onChoose' | 'onConfirm' | 'onGrip' | 'onPull'
> {
  device: FloorDevice
  /** For an unplaced device: the devices taken by dragging it. */
  takenBy?: (device: FloorDevice) => readonly Taken[]
  isTicked?: boolean
  onTick?: (isTicked: boolean) => void
}

function DeviceRow(props: DeviceRowProps) {
  const { device, takenBy, isTicked, onTick, carried, selected, onChoose, onConfirm, onGrip, onPull } = props
  const { deviceId, deviceStatus, lat, mayPlace, serialNumber } = device
  const group = displayGroup(deviceStatus) ?? 'NotInstalled'
  const isCarried = carried === deviceId
  const where = lat === null ? (device.room ? 'Room set, no coordinates' : 'No coordinates') : 'Outside the plan'
  return (
    <li
      className={classes.row}
      data-carried={isCarried || undefined}
      data-selected={selected === deviceId || undefined}
    >
      {takenBy && mayPlace && (
        <RowHandle
          name={nameOf(device)}
          isTicked={isTicked ?? false}
          onTick={(isTicked) => onTick?.(isTicked)}
          onGrip={(event) => onGrip(takenBy(device), event)}
        />
      )}
      <span
        className={classes.pulled}
        onPointerDown={takenBy && mayPlace ? (event) => onPull(takenBy(device), event) : undefined}
      >
        <StatusIcon tone={toneOfGroup[group]} size={18} />
        <button
          type="button"
          className={classes.name}
          data-row={deviceId}
          aria-pressed={isCarried}
          onClick={() => onChoose(device)}
        >
          <b>{nameOf(device)}</b>
          <span>
            {isCarried
              ? 'Being placed'
              : takenBy
                ? where
                : [statusText(deviceStatus), device.isRoughlyPlaced && 'roughly placed'].filter(Boolean).join(', ')}
          </span>
        </button>
      </span>
      {!takenBy && device.isRoughlyPlaced && mayPlace && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Confirm the position: ${nameOf(device)}`}
          onClick={() => onConfirm([device])}
        >
          Confirm
        </Button>
      )}
      <span className={classes.serial}>{serialNumber}</span>
    </li>
  )
}
