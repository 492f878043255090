import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates, connectionWords } from '@caretaker/rules/devices/connection.ts'
import { shownUntil, usable } from '../../telemetry/drawn.ts'
import { useDeviceAnswers } from '../../device-page/use-device-charts.ts'
import { dateTimeText, spanText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { Connection } from '../../ui/connection.tsx'
import { useZone } from '../../ui/zone.tsx'
import type { Span } from './silences.ts'
import { lengthOf, outside, silencesIn } from './silences.ts'
import classes from './networking.module.css'

/** When the device was connected, aligned with the charts of the same range, so that an event is below its cause. */
export function LinkStrip({ device }: { device: NetworkingDevice }) {
  const zone = useZone()
  const { answers } = useDeviceAnswers(device)
  const usableCharts = answers.flatMap((one) => usable(one.chart) ?? [])
  const lines = usableCharts.filter(({ type }) => type === 'Linear')
  const series = lines.flatMap(({ dataSeries }) => dataSeries).map((one) => one.series)
  if (series.every((points) => points.length === 0)) return undefined
  const range = shownUntil(answers[0]!)
  const { connectionStatus, lastHeard } = device
  const isSilent = connectionStatus === connectionStates.offline
  const silences = silencesIn(series, range, isSilent ? (lastHeard ? Date.parse(lastHeard) : range.from) : null)
  const events = usableCharts.flatMap(({ eventSeries }) => eventSeries)
  const broken = outside(
    events.flatMap((event) => intermittentIn(event, range)),
    silences,
  )
  const [all, silent, unsure] = [range.to - range.from, lengthOf(silences), lengthOf(broken)]
  const share = (at: number) => `${((at - range.from) / all) * 100}%`
  const place = ({ from, to }: Span) => ({
    insetInlineStart: share(from),
    insetInlineEnd: `calc(100% - ${share(to)})`,
  })
  const words = [
    ...silences.map((span) => ({ span, what: 'Silent' })),
    ...broken.map((span) => ({ span, what: connectionWords.intermittent })),
  ]
    .toSorted((a, b) => a.span.from - b.span.from)
    .map(
      ({ span: { from, to }, what }) =>
        `${what} for ${spanText(from, to)} from ${dateTimeText(from, zone)}${to < range.to ? '' : ' on'}`,
    )
  return (
    <Card
      title="Link"
      aside={
        <span className={`${classes.summary} ${classes.shares}`}>
          <Connection state={connectionStates.online} /> {Math.round(((all - silent - unsure) / all) * 100)} %
          {unsure > 0 && (
            <>
              <Connection state={connectionStates.intermittent} /> {spanText(0, unsure)}
            </>
          )}
          {silent > 0 && (
            <>
              <Connection state={connectionStates.offline} /> {spanText(0, silent)}
            </>
          )}
        </span>
      }
    >
      <div className={classes.strip} role="img" aria-label={words.join('. ') || 'No gaps'}>
        {silences.map((span) => (
          <span key={span.from} className={classes.silence} style={place(span)} />
        ))}
        {broken.map((span) => (
          <span key={span.from} className={classes.broken} style={place(span)} />
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

interface ConnectionEvent {
  start: string
  end: string | null
  category: string
  description: string
}

/** The part of a range with an intermittent connection, as reported by an event. */
function intermittentIn({ start, end, category, description }: ConnectionEvent, range: Span): Span[] {
  if (category !== 'Connection' || description !== connectionWords.intermittent) return []
  const [from, to] = [Math.max(Date.parse(start), range.from), Math.min(end ? Date.parse(end) : range.to, range.to)]
  return from < to ? [{ from, to }] : []
}
