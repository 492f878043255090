import { useQuery } from '@tanstack/react-query'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { useActor } from '../../api/actor.ts'
import { chartsQuery } from '../../device-page/queries.ts'
import { dateTimeText, spanText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { useZone } from '../../ui/zone.tsx'
import { silencesIn } from './silences.ts'
import classes from './networking.module.css'

/** When the device was heard and when not, exactly under the charts of the same week: an event stands under its cause. */
export function LinkStrip({ device }: { device: NetworkingDevice }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data } = useQuery(chartsQuery(tenant, device.deviceId))
  if (!data) return undefined
  const range = { from: Date.parse(data.from), to: Date.parse(data.to) }
  const series = data.charts.flatMap(({ dataSeries }) => dataSeries ?? []).map((one) => one.series)
  if (series.every((points) => points.length === 0)) return undefined
  const { connectionStatus, lastHeard } = device
  const isSilent = connectionStatus === connectionStates.offline
  const silences = silencesIn(series, range, isSilent ? Date.parse(lastHeard ?? data.from) : null)
  const total = silences.reduce((sum, { from, to }) => sum + to - from, 0)
  const share = (at: number) => `${((at - range.from) / (range.to - range.from)) * 100}%`
  const words = silences.map(
    ({ from, to }) => `Silent for ${spanText(from, to)} from ${dateTimeText(from, zone)}${to < range.to ? '' : ' on'}`,
  )
  return (
    <Card
      title="Link"
      aside={
        <span className={`${classes.summary} ${classes.aside}`}>
          {silences.length === 0
            ? 'Heard throughout the week'
            : `Silent for ${spanText(range.to - total, range.to)} of the week`}
        </span>
      }
    >
      <div className={classes.strip} role="img" aria-label={words.join('. ') || 'Heard throughout the week'}>
        {silences.map(({ from, to }) => (
          <span
            key={from}
            className={classes.silence}
            style={{ insetInlineStart: share(from), insetInlineEnd: `calc(100% - ${share(to)})` }}
          />
        ))}
      </div>
      {words.length > 0 && (
        <ul className={classes.silences}>
          {words.slice(-3).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}
