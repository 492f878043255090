import type { Device } from '@caretaker/contract/devices.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { InstallButton } from '../actions/install-button.tsx'
import { targetOfDevice } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { dateTimeText } from '../ui/age.ts'
import { InfoMessage } from '../ui/info-message.tsx'
import { useZone } from '../ui/zone.tsx'
import classes from './device.module.css'

/** A notice that messages of the device are rejected because it was uninstalled, with a way to install it again. */
export function Uninstalled({ device }: { device: Device }) {
  const actor = useActor()
  const zone = useZone()
  if (device.uninstalledAt === null) return undefined
  return (
    <div className={classes.uninstalled}>
      <InfoMessage type="warning">
        <p>
          This device was uninstalled on {dateTimeText(device.uninstalledAt, zone)}. It cannot connect, and its messages
          are refused until it is installed again.
        </p>
        {can(actor, 'install', targetOfDevice(device)) && <InstallButton device={device} />}
      </InfoMessage>
    </div>
  )
}
