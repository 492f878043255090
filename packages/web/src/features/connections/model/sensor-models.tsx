import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { SensorModel } from '@caretaker/contract/connections.ts'
import { useActor } from '../../../api/actor.ts'
import { dateTimeText } from '../../../ui/age.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { modelPath } from '../addresses.ts'
import { sensorModelsQuery } from '../queries.ts'
import classes from '../connections.module.css'

const none: SensorModel[] = []

/** The models of the client's sensors, each with its mapping and codec. */
export function SensorModels() {
  const { tenant } = useActor()
  const zone = useZone()
  const { data, isError, refetch } = useQuery(sensorModelsQuery(tenant))
  const columns = useMemo(() => columnsFor(zone), [zone])
  return (
    <GenericTable
      label="Sensor models"
      columns={columns}
      rows={data ?? none}
      rowId={(row) => row.id}
      rowHref={(row) => modelPath(tenant, row.id)}
      status={data ? 'ready' : isError ? 'failed' : 'loading'}
      onRetry={() => void refetch()}
      empty={
        <Empty
          text="No sensor models"
          hint="A model appears here with the first message of one of its sensors. Its mapping assigns values to metrics."
        />
      }
      phoneRow={phoneRow}
    />
  )
}

export const modelName = ({ maker, model }: Pick<SensorModel, 'maker' | 'model'>) => `${maker} ${model}`

/** How messages are decoded, or that they are not. */
function decoderText({ decoder, activeCodec }: SensorModel): string {
  if (activeCodec !== null) return `Codec, version ${activeCodec}`
  return decoder ?? 'None yet'
}

const count = (header: string, key: 'sensors' | 'newSensors' | 'mapped' | 'unused' | 'notDecoded') => ({
  ...{ id: key, header, width: 100, align: 'end' as const },
  value: (row: SensorModel) => row[key],
  cell: (row: SensorModel) => (
    <span className={row[key] ? undefined : classes.zero}>{row[key].toLocaleString('en-GB')}</span>
  ),
})

function columnsFor(zone: string): GenericColumn<SensorModel>[] {
  return [
    { id: 'model', header: 'Maker and model', width: 220, link: true, value: modelName, cell: modelName },
    count('Sensors', 'sensors'),
    count('New sensors', 'newSensors'),
    {
      id: 'connections',
      header: 'Connections',
      width: 220,
      value: (row) => row.connections.map(({ name }) => name).join(', '),
      cell: (row) => row.connections.map(({ name }) => name).join(', '),
    },
    { id: 'decoder', header: 'Decoder', width: 170, value: decoderText, cell: decoderText },
    count('Mapped', 'mapped'),
    count('Not used', 'unused'),
    count('Not decoded', 'notDecoded'),
    {
      id: 'last',
      header: 'Last message',
      width: 150,
      align: 'end',
      value: (row) => row.lastMessageAt,
      cell: (row) => (row.lastMessageAt ? dateTimeText(row.lastMessageAt, zone) : 'None yet'),
    },
  ]
}

const phoneRow = (row: SensorModel) => (
  <span className={classes.phoneRow}>
    <b>{modelName(row)}</b>
    <span className={classes.dimmed}>
      {decoderText(row)}
      <span>
        {row.mapped} mapped, {row.unused} not used
      </span>
    </span>
  </span>
)
