import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { MappingRow, SensorMapping } from '@caretaker/contract/connections.ts'
import { restoreMappingVersion } from '@caretaker/contract/calls/connections.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { dateTimeText } from '../../../ui/age.ts'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { mappingQuery, mappingVersionsQuery, refreshConnections } from '../queries.ts'
import { ModelFrame } from './model-frame.tsx'
import { changesOf } from './rows.ts'
import classes from './model.module.css'

/** The saved versions of the mapping, with what each changed. */
export function ModelHistory({ mapping }: { mapping: SensorMapping }) {
  const actor = useActor()
  const { tenant } = actor
  const { model, version: current } = mapping
  const zone = useZone()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(mappingVersionsQuery(tenant, model.id))
  const [asked, ask] = useState<number>()
  const manages = can(actor, 'manage connections')
  const restore = async (version: number) => {
    const next = await call(restoreMappingVersion, { params: { tenant, modelId: model.id, version: version as never } })
    queryClient.setQueryData(mappingQuery(tenant, model.id).queryKey, next)
    await refreshConnections(queryClient, tenant)
    showSuccess(`Version ${version} restored`)
    return true as const
  }
  return (
    <ModelFrame model={model} tab="history">
      <Card title="Versions of the mapping">
        {!data && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading />)}
        {data?.length === 0 && (
          <Empty text="No saved versions" hint="The suggestions by name and unit apply until a mapping is saved." />
        )}
        {data && data.length > 0 && (
          <ol className={classes.versions}>
            {data.map(({ version, savedAt, savedBy, rows }, at) => (
              <li key={version}>
                <div>
                  <b>Version {version}</b>
                  <span className={classes.dimmed}>
                    {savedBy}, {dateTimeText(savedAt, zone)}
                  </span>
                  {version === current ? (
                    <span className={classes.dimmed}>In use</span>
                  ) : (
                    manages && (
                      <Button
                        variant="default"
                        size="compact-sm"
                        aria-label={`Restore version ${version}`}
                        onClick={() => ask(version)}
                      >
                        Restore
                      </Button>
                    )
                  )}
                </div>
                <Changes before={data[at + 1]?.rows ?? []} after={rows} />
              </li>
            ))}
          </ol>
        )}
      </Card>
      {asked !== undefined && (
        <ConfirmDialog
          title={`Restore version ${asked}`}
          verb="Restore"
          onConfirm={() => restore(asked).catch(textsOf)}
          onClose={() => ask(undefined)}
        >
          <p>Version {asked} is saved as the newest one. It applies to new messages; stored readings stay unchanged.</p>
        </ConfirmDialog>
      )}
    </ModelFrame>
  )
}

const shownChanges = 8

function Changes({ before, after }: { before: readonly MappingRow[]; after: readonly MappingRow[] }) {
  const changes = changesOf(before, after)
  if (changes.length === 0) return undefined
  return (
    <ul className={classes.changes}>
      {changes.slice(0, shownChanges).map(({ path, from, to }) => (
        <li key={path}>
          <b>{path}</b>: {before.length > 0 ? `${from} to ${to}` : to}
        </li>
      ))}
      {changes.length > shownChanges && <li>{changes.length - shownChanges} more</li>}
    </ul>
  )
}
