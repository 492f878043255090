import type { ReactNode } from 'react'
import type { LatestTest } from '@caretaker/contract/equipment.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { targetOfDevice } from '../actions/target.ts'
import type { ConditionHints } from './conditions.tsx'
import { Conditions } from './conditions.tsx'
import { DeviceCommands } from './device-commands.tsx'
import { DeviceKeyCard } from './device-key-card.tsx'
import { Uninstalled } from './uninstalled.tsx'
import classes from './device.module.css'

interface InfoColumnsProps {
  device: Device
  /** The newest test of each type, for an emergency light. */
  tests?: readonly LatestTest[]
  /** Extra content for a reason of the status, by its kind. */
  hints?: ConditionHints
  /** The wide column: settings and identity. */
  children: ReactNode
  /** The narrow column: current state and what is due. */
  side: ReactNode
  /** On narrow screens the narrow column comes first. */
  sideFirst?: boolean
  /** Below both columns. */
  more?: ReactNode
}

/** The first tab of any device: reasons for the status and command results, then two columns. */
export function InfoColumns({ device, tests, hints, children, side, sideFirst = false, more }: InfoColumnsProps) {
  return (
    <div className={classes.page} data-side-first={sideFirst || undefined}>
      <div className={classes.top}>
        <Uninstalled device={device} />
        <Conditions device={targetOfDevice(device)} tests={tests} hints={hints} />
        <DeviceCommands device={device} target={targetOfDevice(device)} />
      </div>
      <div className={classes.charts}>{children}</div>
      <div className={classes.side}>
        {side}
        <DeviceKeyCard device={device} />
      </div>
      {more && <div className={classes.more}>{more}</div>}
    </div>
  )
}
