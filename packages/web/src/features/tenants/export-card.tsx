import { useState } from 'react'
import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconDownload, IconFileZip, IconTrash } from '../../icons/index.ts'
import type { TenantSetup } from '@caretaker/contract/tenant-administration.ts'
import type { TenantExport } from '@caretaker/contract/tenant-exports.ts'
import { getTenantExportFile } from '@caretaker/contract/calls/tenant-exports.ts'
import { exportKeptDays } from '@caretaker/rules/tenants/exports.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { showCallError, textsOf } from '../../api/errors.ts'
import { saveFile } from '../../api/save-file.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { InfoMessage } from '../../ui/info-message.tsx'
import { sizeText } from '../../ui/size-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import type { TenantChanges } from './queries.ts'
import { exportsQuery } from './queries.ts'
import classes from './tenants.module.css'

interface ExportCardProps {
  setup: TenantSetup
  changes: TenantChanges
}

/** Exports everything of the client as one file, written by the worker in the background. */
export function ExportCard({ setup, changes }: ExportCardProps) {
  const { data, isError, refetch } = useQuery(exportsQuery(useActor().tenant, setup.id))
  const [asking, setAsking] = useState(false)
  const [readings, setReadings] = useState(false)
  const isOpen = data?.some(({ finishedAt }) => !finishedAt)
  return (
    <Card
      title="Export"
      actions={
        <Button
          variant="default"
          leftSection={<IconFileZip size={16} aria-hidden />}
          disabled={!data || isOpen}
          onClick={() => {
            setReadings(false)
            setAsking(true)
          }}
        >
          Export everything
        </Button>
      }
    >
      <p className={classes.hint}>
        One ZIP file with a table for each subject and all files. Readings are included by the hour, with mean, lowest
        and highest value, and individually on request; the README lists what is not included. The file is kept for{' '}
        {exportKeptDays} days, and the client’s audit records who requested and downloaded it.
      </p>
      {data ? (
        <ul className={classes.lines}>
          {data.map((one) => (
            <ExportLine key={one.exportId} {...{ one, setup, changes }} />
          ))}
        </ul>
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
      {asking && (
        <ConfirmDialog
          title={`Export everything of ${setup.name}`}
          verb="Export"
          onConfirm={() => changes.startExport(readings).then(() => true as const, textsOf)}
          onClose={() => setAsking(false)}
        >
          <InfoMessage type="warning">
            The file holds personal data of residents and users. It may take some minutes; you can leave this page.
          </InfoMessage>
          <Checkbox
            label="Include every stored reading (much larger file)"
            checked={readings}
            onChange={(event) => setReadings(event.currentTarget.checked)}
          />
        </ConfirmDialog>
      )}
    </Card>
  )
}

function ExportLine({ one, setup, changes }: ExportCardProps & { one: TenantExport }) {
  const [busy, setBusy] = useState(false)
  const during = (work: Promise<unknown>) => {
    setBusy(true)
    work.catch(showCallError).finally(() => setBusy(false))
  }
  const { exportId } = one
  const save = async () => saveFile(await call(getTenantExportFile, { params: { tenant: setup.id, exportId } }))
  return (
    <li>
      <span>
        <b>
          <TimeOf at={one.askedAt} />
        </b>
        <span className={classes.dimmed}>
          {stateOf(one)}, requested by {one.askedBy}
        </span>
      </span>
      <span className={classes.amount}>
        {one.state === 'done' && (
          <Button
            variant="default"
            size="compact-sm"
            loading={busy}
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => during(save())}
          >
            Download
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          disabled={busy}
          aria-label={`Delete export ${one.fileName ?? 'in preparation'}`}
          onClick={() => during(changes.deleteExport(exportId))}
        >
          <IconTrash size={16} aria-hidden />
        </Button>
      </span>
    </li>
  )
}

function stateOf({ state, rows, readings, size, part, fault }: TenantExport): string {
  const count = `${rows.toLocaleString('en-GB')} rows${readings ? ' with every reading' : ''}`
  if (state === 'failed') return `Failed: ${fault}`
  if (state === 'done') return size === null ? count : `${count}, ${sizeText(size)}`
  return state === 'waiting' ? 'Waiting' : `Preparing ${part ?? ''} …, ${count} so far`
}
