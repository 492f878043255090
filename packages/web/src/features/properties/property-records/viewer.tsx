import { useEffect, useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconChevronLeft, IconChevronRight, IconDownload, IconTrash } from '../../../icons/index.ts'
import type { PropertyRecord } from '@caretaker/contract/documents.ts'
import { deleteDocument } from '@caretaker/contract/calls/documents.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx'
import { FailedImage } from '../../../ui/failed-image.tsx'
import { Loading } from '../../../ui/states.tsx'
import { useObjectUrl } from '../../../ui/use-object-url.ts'
import { useZone } from '../../../ui/zone.tsx'
import { photographQuery, propertyPageKey } from '../queries.ts'
import { savePhotograph } from './save-photographs.ts'
import classes from './property-records.module.css'

interface ViewerProps {
  property: Property
  records: readonly PropertyRecord[]
  /** The index of the shown record. */
  at: number
  onLook: (at: number) => void
  onClose: () => void
}

/** A photograph with its details, and buttons and arrow keys for the adjacent ones. */
export function Viewer({ property, records, at, onLook, onClose }: ViewerProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const record = records[at]!
  const { metadata } = record
  const { data } = useQuery(photographQuery(tenant, record.id))
  const [deleting, setDeleting] = useState(false)
  useEffect(() => {
    if (deleting) return undefined
    const step = ({ key }: KeyboardEvent) => {
      const next = at + (key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0)
      if (next !== at && records[next]) onLook(next)
    }
    document.addEventListener('keydown', step)
    return () => document.removeEventListener('keydown', step)
  })
  if (deleting)
    return <DeleteDialog property={property} record={record} onClose={() => setDeleting(false)} onDone={onClose} />
  return (
    <Dialog
      title={metadata.title}
      onClose={onClose}
      size="min(96rem, 94vw)"
      actions={
        <>
          {record.userCanDelete && (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              style={{ marginInlineEnd: 'auto' }}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={!data}
            onClick={() => data && savePhotograph(data, record)}
          >
            Download
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className={classes.picture}>
        <Picture key={record.id} record={record} />
        <Step step={-1} label="Previous photograph" shown={at > 0} onPress={() => onLook(at - 1)} />
        <Step step={1} label="Next photograph" shown={at < records.length - 1} onPress={() => onLook(at + 1)} />
      </div>
      <p className={classes.count} role="status">
        {at + 1} of {records.length}
      </p>
      <dl className={classes.facts}>
        <dt>Date and time</dt>
        <dd>{dateSecondText(metadata.timestamp, zone)}</dd>
        <dt>Location in property</dt>
        <dd>{record.propertyLocationId ?? '–'}</dd>
        <dt>Uploaded by</dt>
        <dd>{record.createdBy}</dd>
        <dt>Note</dt>
        <dd>{metadata.note ?? '–'}</dd>
      </dl>
    </Dialog>
  )
}

interface StepProps {
  step: 1 | -1
  label: string
  shown: boolean
  onPress: () => void
}

function Step({ step, label, shown, onPress }: StepProps) {
  if (!shown) return undefined
  const Icon = step === 1 ? IconChevronRight : IconChevronLeft
  return (
    <ActionIcon
      variant="default"
      size={44}
      className={classes.step}
      data-step={step}
      aria-label={label}
      onClick={onPress}
    >
      <Icon size={20} aria-hidden />
    </ActionIcon>
  )
}

function Picture({ record }: { record: PropertyRecord }) {
  const { tenant } = useActor()
  const { data, dataUpdatedAt, isError, isFetching, refetch } = useQuery(photographQuery(tenant, record.id))
  const retry = () => void refetch()
  if (data) return <Shown key={dataUpdatedAt} file={data} record={record} onRetry={retry} />
  return isError && !isFetching ? <FailedImage onRetry={retry} /> : <Loading label="Loading the photograph" />
}

function Shown({ file, record, onRetry }: { file: File; record: PropertyRecord; onRetry: () => void }) {
  // The type found by the server, so that the browser does not guess another one.
  const address = useObjectUrl(() => new Blob([file], { type: record.contentType }))
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <FailedImage onRetry={onRetry} />
  return <img src={address} alt={record.metadata.title} onError={() => setBroken(true)} />
}

interface DeleteDialogProps {
  property: Property
  record: PropertyRecord
  onClose: () => void
  onDone: () => void
}

function DeleteDialog({ property, record, onClose, onDone }: DeleteDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const remove = async (): Promise<true | readonly string[]> => {
    try {
      await call(deleteDocument, { params: { tenant, id: record.id } })
      void client.invalidateQueries({ queryKey: propertyPageKey(tenant, property.propertyId) })
      return true
    } catch (error) {
      return textsOf(error)
    }
  }
  return (
    <ConfirmDialog title="Delete photograph?" verb="Delete" danger onConfirm={remove} onClose={onClose} onDone={onDone}>
      <p>“{record.metadata.title}” will be gone for everybody. That it was deleted stays in the audit.</p>
    </ConfirmDialog>
  )
}
