import { useQuery } from '@tanstack/react-query'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { useActor } from '../../api/actor.ts'
import { Row } from '../../device-page/identity-cards.tsx'
import { chartsQuery } from '../../device-page/queries.ts'
import { Age } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { reading } from '../../ui/chart/readings.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import classes from '../../device-page/device.module.css'

/** The newest readings of its link; of one that fell silent those right before. */
export function LinkCard({ device }: { device: NetworkingDevice }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(chartsQuery(tenant, device.deviceId))
  const isSilent = device.connectionStatus === connectionStates.offline
  // Of what it never told, as one on the mains of its battery, there is no row.
  const told = (data?.charts ?? []).filter(
    ({ hideWhenNoData, dataSeries }) => !hideWhenNoData || dataSeries?.some(({ latest }) => latest),
  )
  const series = told.flatMap(({ dataSeries }) => dataSeries ?? [])
  return (
    <Card title={isSilent ? 'Right before it went silent' : 'Signal'}>
      {!data ? (
        isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the signal" />
        )
      ) : (
        <dl className={classes.rows}>
          {series.map((one) => (
            <Row key={one.dataSeriesId} label={one.label}>
              {one.latest && reading(one.latest.value, one.unit)}
            </Row>
          ))}
          <Row label="Last heard">{device.lastHeard && <Age at={device.lastHeard} />}</Row>
          <Row label="Devices behind it">{device.childCount.toLocaleString('en-GB')}</Row>
        </dl>
      )}
    </Card>
  )
}
