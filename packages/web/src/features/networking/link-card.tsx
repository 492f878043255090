import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { Row } from '../../device-page/identity-cards.tsx'
import { useDeviceAnswers } from '../../device-page/use-device-charts.ts'
import { Age } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { reading } from '../../ui/chart/readings.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import classes from '../../device-page/device.module.css'

/** The latest signal readings; for an offline device those before contact was lost. */
export function LinkCard({ device }: { device: NetworkingDevice }) {
  const { answers, isLoading, isError, refetch } = useDeviceAnswers(device)
  const isSilent = device.connectionStatus === connectionStates.offline
  // Metrics that were never reported have no row, for example the battery of a mains device.
  const reported = answers.filter(
    ({ chart: { hideWhenNoData, dataSeries } }) => !hideWhenNoData || dataSeries?.some(({ latest }) => latest),
  )
  const series = reported.flatMap(({ chart }) => chart.dataSeries ?? [])
  return (
    <Card title={isSilent ? 'Signal before contact was lost' : 'Signal'}>
      {isError ? (
        <Failed onRetry={refetch} />
      ) : isLoading ? (
        <Loading label="Loading the signal" />
      ) : (
        <dl className={classes.rows}>
          {series.map((one) => (
            <Row key={one.dataSeriesId} label={one.label}>
              {one.latest && reading(one.latest.value, one.unit)}
            </Row>
          ))}
          <Row label="Last contact">{device.lastHeard && <Age at={device.lastHeard} />}</Row>
          <Row label="Connected devices">{device.childCount.toLocaleString('en-GB')}</Row>
        </dl>
      )}
    </Card>
  )
}
