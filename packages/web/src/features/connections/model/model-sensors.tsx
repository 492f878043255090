import { useMemo } from 'react'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ModelSensor, SensorModel } from '@caretaker/contract/connections.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import { dateTimeText } from '../../../ui/age.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { newSensorsPath } from '../addresses.ts'
import { modelSensorsQuery } from '../queries.ts'
import { ModelFrame } from './model-frame.tsx'
import classes from '../connections.module.css'

/** The sensors that share the mapping and the codec of this model; each leads to its device. */
export function ModelSensors({ model }: { model: SensorModel }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    modelSensorsQuery(tenant, model.id),
  )
  const rows = useMemo(() => data?.pages.flatMap(({ results }) => results) ?? [], [data])
  const columns = useMemo(() => columnsFor(zone), [zone])
  return (
    <ModelFrame model={model} tab="sensors">
      <GenericTable
        label="Sensors of this model"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={({ device }) => (device ? pathTo(tenant, 'ThirdParty', device.deviceId) : newSensorsPath(tenant))}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No sensors" hint="A sensor of this model appears here with its first message." />}
        phoneRow={phoneRow}
        actions={
          hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          )
        }
      />
    </ModelFrame>
  )
}

const nameOf = ({ device, name, deviceKey }: ModelSensor) => device?.name ?? name ?? deviceKey
const placeOf = ({ device, isIgnored }: ModelSensor) =>
  device ? (device.property ?? 'No property') : isIgnored ? 'Ignored' : 'New sensor'

function columnsFor(zone: string): GenericColumn<ModelSensor>[] {
  const last = ({ lastMessageAt }: ModelSensor) => (lastMessageAt ? dateTimeText(lastMessageAt, zone) : 'None yet')
  const text = (id: string, header: string, width: number, value: (row: ModelSensor) => string) => ({
    ...{ id, header, width, value, cell: value },
  })
  return [
    { ...text('name', 'Sensor', 220, nameOf), link: true },
    text('key', 'DevEUI or name', 190, ({ deviceKey }) => deviceKey),
    text('place', 'Property', 170, placeOf),
    text('connection', 'Connection', 200, ({ connectionName }) => connectionName),
    {
      ...{ id: 'messages', header: 'Messages', width: 110, align: 'end', value: ({ messages }) => messages },
      cell: ({ messages }) => messages.toLocaleString('en-GB'),
    },
    {
      ...{ id: 'last', header: 'Last message', width: 150, align: 'end', value: ({ lastMessageAt }) => lastMessageAt },
      cell: last,
    },
  ]
}

const phoneRow = (row: ModelSensor) => (
  <span className={classes.phoneRow}>
    <b>{nameOf(row)}</b>
    <span className={classes.dimmed}>
      {placeOf(row)}
      <span>{row.connectionName}</span>
    </span>
  </span>
)
