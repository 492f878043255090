import { useEffect, useEffectEvent, useState } from 'react'
import { Button, Loader } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Connection } from '@caretaker/contract/connections.ts'
import { getConnectionTest } from '@caretaker/contract/calls/connections.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCircleXFilled, IconRefresh } from '../../../icons/index.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { Failed } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { valuesText } from '../words.ts'
import classes from './add.module.css'

const pollInterval = 3_000

const testQuery = (tenant: string, connectionId: string, since: string) =>
  queryOptions({
    queryKey: [tenant, 'connection test', connectionId, since],
    queryFn: ({ signal }) =>
      call(getConnectionTest, { params: { tenant, connectionId }, query: { since } }, { signal }),
    // A message with a wrong key or from another system may be followed by the right one.
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'received' || data?.state === 'no message' ? false : pollInterval,
  })

interface TestPanelProps {
  connection: Connection
  /** Called once a message has been accepted. */
  onReceived: () => void
}

/** Waits for the first message and shows its sensor, or why it was refused. */
export function TestPanel({ connection, onReceived }: TestPanelProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const [since, setSince] = useState(() => new Date().toISOString())
  const { data, isError, refetch } = useQuery(testQuery(tenant, connection.id, since))
  const state = data?.state ?? 'waiting'
  const report = useEffectEvent(onReceived)
  useEffect(() => {
    if (state === 'received') report()
  }, [state])
  if (isError && !data) return <Failed onRetry={() => void refetch()} />
  const time = data?.at ? dateSecondText(data.at, zone).split(' ')[1] : undefined
  const isReceived = state === 'received'
  return (
    <div className={classes.test} data-state={state}>
      <div className={classes.testHead}>
        <p role="status">
          {state === 'waiting' ? (
            <Loader size={18} aria-hidden />
          ) : isReceived ? (
            <IconCircleCheckFilled size={18} aria-hidden />
          ) : state === 'no message' ? (
            <IconCircleXFilled size={18} aria-hidden />
          ) : (
            <IconAlertTriangleFilled size={18} aria-hidden />
          )}
          <b>{isReceived ? `First message received at ${time}` : (data?.text ?? 'Waiting for the first message')}</b>
        </p>
        {state !== 'waiting' && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => setSince(new Date().toISOString())}
          >
            Test again
          </Button>
        )}
      </div>
      {connection.broker && state === 'waiting' && <BrokerNote connection={connection} />}
      {data?.sensor && (
        <dl className={classes.facts}>
          <div>
            <dt>Sensor</dt>
            <dd>
              {[data.sensor.maker, data.sensor.model].filter(Boolean).join(' ') || 'Model not known'}{' '}
              <code>{data.sensor.deviceKey}</code>
            </dd>
          </div>
          <div>
            <dt>Values</dt>
            <dd>{valuesText(data.sensor.values) || 'None decoded yet'}</dd>
          </div>
        </dl>
      )}
    </div>
  )
}

function BrokerNote({ connection: { broker } }: { connection: Connection }) {
  return (
    <p className={classes.hint}>
      {broker?.error
        ? `The broker cannot be reached: ${broker.error}`
        : broker?.isConnected
          ? 'Connected to the broker.'
          : 'Connecting to the broker.'}
    </p>
  )
}
