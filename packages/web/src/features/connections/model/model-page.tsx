import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../../api/actor.ts'
import { usePageTitle } from '../../../api/page-title.ts'
import { PageHead } from '../../../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../../../ui/states.tsx'
import { modelsPath } from '../addresses.ts'
import { mappingQuery } from '../queries.ts'
import { Codec } from './codec.tsx'
import { Mapping } from './mapping.tsx'
import { ModelHistory } from './model-history.tsx'
import { ModelSensors } from './model-sensors.tsx'
import { modelName } from './sensor-models.tsx'
import classes from './model.module.css'

/** One model of sensors: its mapping, its codec and their history. */
export function SensorModelPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  const { modelId = '', tab = 'mapping' } = useParams({ strict: false }) as { modelId?: string; tab?: string }
  const { data, error, refetch } = useQuery(mappingQuery(tenant, modelId))
  usePageTitle(data ? modelName(data.model) : 'Sensor model', 'Connections', client.displayName)
  const back = { href: modelsPath(tenant), label: 'Settings, Connections, Sensor models' }
  const status = error instanceof CallError ? error.status : undefined
  if (status === 404 || status === 400) return <NotFound back={back} hint="Sensor model not found." />
  if (status === 403) return <Refused back={back} />
  if (data && tab === 'mapping') return <Mapping key={modelId} mapping={data} />
  if (data && tab === 'sensors') return <ModelSensors key={modelId} model={data.model} />
  if (data && tab === 'history') return <ModelHistory mapping={data} />
  if (data && tab === 'codec')
    return can(actor, 'manage connections') ? <Codec key={modelId} model={data.model} /> : <Refused back={back} />
  if (data) return <NotFound back={back} hint="This page does not exist." />
  return (
    <>
      <PageHead back={back} title={error ? 'Sensor model' : <Bar width="22rem" height="2rem" />} />
      <div className={classes.content}>
        {error ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the sensor model">
            <LoadingLines lines={8} />
          </Loading>
        )}
      </div>
    </>
  )
}
