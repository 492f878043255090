import type { Boiler } from '@caretaker/contract/boilers.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Connection } from '../../ui/connection.tsx'
import { AppLink } from '../../ui/link.tsx'
import classes from './boilers.module.css'

/** The number of devices shown in the summary; the tab has all. */
const most = 5

/** The devices connected through the module, with their connection status. */
export function ConnectedSummary({ device }: { device: Boiler }) {
  const { tenant } = useActor()
  const { connectedDevices: all } = device
  if (all.length === 0) return undefined
  return (
    <Card
      title="Connected devices"
      actions={
        <AppLink className={classes.link} href={`${pathTo(tenant, 'Boilers', device.deviceId)}/connectedDevices`}>
          All {all.length}
        </AppLink>
      }
    >
      <ul className={classes.connected}>
        {all.slice(0, most).map((one) => (
          <li key={one.deviceId}>
            <span>
              <b>{one.deviceType}</b> {one.location}
              <span className={classes.serial}>{one.serialNumber}</span>
            </span>
            <Connection state={one.connectionStatus} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
