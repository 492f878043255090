import { useQuery } from '@tanstack/react-query'
import { IconEngine, IconFlame, IconFlameOff } from '../../icons/index.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import { seesTab } from '@caretaker/rules/devices/tabs.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { useWatchedDevices } from '../../api/changes.ts'
import { Age } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { liveQuery } from './queries.ts'
import type { LiveValue } from './live-values.ts'
import { liveSources, liveValues } from './live-values.ts'
import classes from './boilers.module.css'

/** Current readings with the last hours as a line; one call for all devices of the property. */
export function RightNow({ device }: { device: Boiler }) {
  const actor = useActor()
  const sources = liveSources(device)
  useWatchedDevices(sources.map((source) => source.deviceId))
  const { data } = useQuery(liveQuery(actor.tenant, device.deviceId, sources))
  const values = liveValues(device, data?.devices ?? [])
  const newest = Math.max(...values.flatMap(({ latest }) => latest?.date ?? []))
  const doing = data && activityOf(device, data.devices[0]?.series ?? [])
  const telemetry = `${pathTo(actor.tenant, 'Boilers', device.deviceId)}/telemetry`
  return (
    <Card
      title="Right now"
      actions={
        Number.isFinite(newest) && (
          <span className={classes.aside}>
            <Age at={newest} />
          </span>
        )
      }
      footer={
        <>
          <span className={classes.doing}>{doing}</span>
          {seesTab(actor, targetOfDevice(device), 'telemetry') && (
            <AppLink className={classes.link} href={telemetry}>
              Telemetry
            </AppLink>
          )}
        </>
      }
    >
      <dl className={classes.live}>
        {values.map((value) => (
          <Live key={value.id} value={value} from={data?.from ?? 0} to={data?.to ?? 1} />
        ))}
      </dl>
    </Card>
  )
}

function Live({ value, from, to }: { value: LiveValue; from: number; to: number }) {
  const { label, unit, latest, none, points, digits } = value
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {latest === null ? (
          <span className={classes.none}>{none}</span>
        ) : (
          <>
            <b>{latest.value.toFixed(digits)}</b> <span className={classes.unit}>{unit}</span>
          </>
        )}
        <Sparkline points={points} from={from} to={to} />
      </dd>
    </div>
  )
}

interface ActivityReadings {
  metric: string | null
  latest: { value: number } | null
}

/** The activity of burner or compressor; nothing if neither has been reported. */
function activityOf(device: Boiler, series: readonly ActivityReadings[]) {
  const latest = (metric: string) => series.find((one) => one.metric === metric)?.latest?.value
  const compressor = latest('compressorSpeed')
  if (compressor !== undefined)
    return (
      <>
        <IconEngine size={16} aria-hidden />
        {compressor > 0 ? `Heating, ${Math.round(compressor)} RPM` : 'Compressor off'}
      </>
    )
  const burner = latest('modulation')
  if (burner === undefined) return undefined
  const Icon = burner > 0 ? IconFlame : IconFlameOff
  const lockedOut = device.fault?.source === 'boiler'
  return (
    <>
      <Icon size={16} aria-hidden />
      {burner > 0 ? `Burner on, ${Math.round(burner)} %` : `Burner off${lockedOut ? ', locked out' : ''}`}
    </>
  )
}
