import { useState } from 'react'
import { Autocomplete, Button, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { saveDocument } from '@caretaker/contract/calls/documents.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { photoFault, recordLimits } from '@caretaker/rules/properties/records.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { CancelButton, Dialog } from '../../../ui/dialog.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { useObjectUrl } from '../../../ui/use-object-url.ts'
import { propertyPageKey } from '../queries.ts'
import classes from './property-records.module.css'

interface Chosen {
  file: File
  title: string
  /** A refused file is not a photograph or is too large, and is not sent. */
  state: 'waiting' | 'sending' | 'added' | 'failed' | 'refused'
  /** The fraction sent so far, 0 to 1. */
  part: number
  reason: string
}

interface AddDialogProps {
  property: Property
  files: readonly File[]
  onClose: () => void
}

/** Adds photographs to a property one after the other; rejected ones show the reason and can be retried. */
export function AddDialog({ property, files, onClose }: AddDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<Chosen[]>(() =>
    files.map((file) => {
      const fault = photoFault(file)
      return { file, title: titleOf(file), state: fault ? 'refused' : 'waiting', part: 0, reason: fault ?? '' }
    }),
  )
  const [location, setLocation] = useState('')
  const [note, setNote] = useState('')
  const [busy, setBusy] = useState(false)
  const left = chosen.filter(({ state }) => state !== 'added' && state !== 'refused')
  const change = (file: File, next: Partial<Chosen>) =>
    setChosen((now) => now.map((one) => (one.file === file ? { ...one, ...next } : one)))
  const send = async ({ file, title }: Chosen): Promise<boolean> => {
    change(file, { state: 'sending', part: 0, reason: '' })
    try {
      const metadata = JSON.stringify({ title, ...(note.trim() && { note: note.trim() }) })
      const form = {
        documentType: 'PropertyRecords',
        content: file,
        propertyId: property.propertyId,
        metadata,
      } as const
      await call(
        saveDocument,
        { params: { tenant }, form: { ...form, ...(location.trim() && { propertyLocationId: location.trim() }) } },
        { onProgress: (part) => change(file, { part }) },
      )
      change(file, { state: 'added' })
      return true
    } catch (error) {
      change(file, { state: 'failed', reason: textsOf(error).join(' ') })
      return false
    }
  }
  const sendAll = async () => {
    setBusy(true)
    let added = 0
    for (const one of left) if (await send(one)) added++
    await client.invalidateQueries({ queryKey: propertyPageKey(tenant, property.propertyId) })
    setBusy(false)
    if (added > 0)
      showSuccess(added === 1 ? 'Photograph added successfully!' : `${added} photographs added successfully!`)
    if (added === left.length) onClose()
  }
  const isValid = left.length > 0 && left.every(({ title }) => title.trim() !== '')
  return (
    <Dialog
      title={`Add ${files.length === 1 ? 'photograph' : `${files.length} photographs`}`}
      wide
      busy={busy}
      onClose={onClose}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isValid && !busy) void sendAll()
        },
      }}
      actions={
        <>
          <CancelButton disabled={busy} label={chosen.some(({ state }) => state === 'added') ? 'Close' : 'Cancel'} />
          <Button type="submit" disabled={!isValid} loading={busy}>
            Add
          </Button>
        </>
      }
    >
      <ul className={classes.files}>
        {chosen.map((one) => (
          <li key={`${one.file.name} ${one.file.size} ${one.file.lastModified}`}>
            <Thumbnail file={one.file} />
            <TextInput
              label="Document Title"
              value={one.title}
              maxLength={recordLimits.title}
              disabled={busy || one.state === 'added' || one.state === 'refused'}
              error={one.title.trim() === '' && 'Please enter a title'}
              onChange={({ currentTarget: { value } }) => change(one.file, { title: value })}
            />
            {stateText(one) && (
              <span
                className={classes.state}
                data-failed={one.state === 'failed' || one.state === 'refused' || undefined}
                role="status"
              >
                {stateText(one)}
              </span>
            )}
          </li>
        ))}
      </ul>
      <Autocomplete
        label="Location in property"
        data={[...new Set(property.locations.map(({ name }) => name))]}
        value={location}
        maxLength={recordLimits.location}
        disabled={busy}
        onChange={setLocation}
      />
      <Textarea
        label="Note"
        value={note}
        maxLength={recordLimits.note}
        autosize
        minRows={2}
        disabled={busy}
        onChange={({ currentTarget: { value } }) => setNote(value)}
      />
      <p className={classes.count}>Location data is removed from each photograph before it is stored.</p>
    </Dialog>
  )
}

/** Names given by a camera are not useful as titles. */
const titleOf = ({ name }: File) => {
  const plain = name
    .replace(/\.\w+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
  return /^(img|dsc|pxl|image)?\s*[\d\s]*$/i.test(plain) ? '' : plain.slice(0, recordLimits.title)
}

function stateText({ state, part, reason }: Chosen): string | undefined {
  if (state === 'failed' || state === 'refused') return reason
  if (state === 'added') return 'Added'
  return state === 'sending' ? `${Math.round(part * 100)} %` : undefined
}

function Thumbnail({ file }: { file: File }) {
  const address = useObjectUrl(() => file)
  return <img src={address} alt="" />
}
