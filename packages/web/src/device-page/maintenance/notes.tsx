import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { addDeviceNote } from '@caretaker/contract/calls/maintenance.ts'
import { formTexts, isCompleted, noteLength } from '@caretaker/rules/maintenance/forms.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { DraftNote } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { notesQuery, usePostForm } from './queries.ts'
import { WrittenField } from './written-field.tsx'
import classes from './maintenance.module.css'

/** Adds a note to the device. */
export function NoteForm({ device }: { device: Device }) {
  const { deviceId, productId } = device
  // The hint asks not to enter names of residents, but a note may still contain one.
  const {
    values: { note },
    change,
    isKept,
    clear,
  } = useDraft(`note ${deviceId}`, { note: '' }, { isPersonal: true })
  const [fault, setFault] = useState<string>()
  const post = usePostForm(
    device,
    (tenant, text: string) => call(addDeviceNote, { form: { tenant, deviceId, deviceType: productId, note: text } }),
    () => {
      clear()
      showSuccess(formTexts.submitted)
    },
  )
  return (
    <form
      className={classes.form}
      aria-label="Add note"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isCompleted({ note })) return setFault(formTexts.empty)
        post.mutate(note)
      }}
    >
      <WrittenField
        label="Note"
        value={note}
        most={noteLength}
        disabled={post.isPending}
        hint="Do not enter names or telephone numbers of residents: everyone who can see the device can read the notes."
        onChange={(value) => {
          change({ note: value })
          setFault(undefined)
        }}
      />
      <div className={classes.foot}>
        <p className={classes.fault} role="alert">
          {fault}
        </p>
        {isKept && note && <DraftNote onDiscard={clear} />}
        <Button type="submit" loading={post.isPending}>
          Add note
        </Button>
      </div>
    </form>
  )
}

/** The notes about the device, newest first. */
export function Notes({ device }: { device: Device }) {
  const { tenant } = useActor()
  const { data: notes, isError, refetch } = useQuery(notesQuery(tenant, device))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!notes)
    return (
      <Loading label="Loading the notes">
        <LoadingLines lines={3} />
      </Loading>
    )
  if (!notes.length) return <Empty text="No notes to show" />
  return (
    <ol className={classes.list} aria-label="Notes">
      {notes.map(({ id, description, user, timestamp }) => (
        <li key={id}>
          <p className={classes.author}>
            <b>{user}</b> <TimeOf at={timestamp} />
          </p>
          <p className={classes.text}>{description}</p>
        </li>
      ))}
    </ol>
  )
}
