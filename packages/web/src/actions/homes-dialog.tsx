import { useState } from 'react'
import { Button, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { startPropertyBulkAction } from '@caretaker/contract/calls/actions.ts'
import type { HomeAction } from '@caretaker/rules/actions/home-actions.ts'
import { countOf, longestArchiveReason } from '@caretaker/rules/actions/home-actions.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { accessRightsTagsQuery } from '../api/tags.ts'
import { CancelButton, Dialog, questionWidth } from '../ui/dialog.tsx'
import { BulkJobDialog } from './bulk-job-dialog.tsx'
import type { HomesAsked } from './open.ts'
import { AccessRightsPicker } from './tag-picker.tsx'

const homes = (count: number) => countOf(count, 'property')

const words: Record<HomeAction, { title: (count: number) => string; verb: string }> = {
  'archive properties': { title: (n) => `Archive ${homes(n)}`, verb: 'Archive' },
  'set access rights tag of properties': { title: (n) => `Set the access rights tag of ${homes(n)}`, verb: 'Set tag' },
  'remove access rights tag of properties': {
    title: (n) => `Remove the access rights tag of ${homes(n)}`,
    verb: 'Remove tag',
  },
}

interface HomesDialogProps extends HomesAsked {
  /** `done` is true if an action was started. */
  onClose: (done: boolean) => void
}

/** Asks for the details of a bulk action on properties, explains the effect, runs it and shows the progress. */
export function HomesDialog({ action, selection, count, occupied, openCases, onClose }: HomesDialogProps) {
  const { tenant } = useActor()
  const [reason, setReason] = useState('')
  const [tagId, setTagId] = useState<string | null>(null)
  const [hasBegun, setBegun] = useState(false)
  const isArchive = action === 'archive properties'
  const isSet = action === 'set access rights tag of properties'
  const tags = useQuery({ ...accessRightsTagsQuery(tenant), enabled: isSet }).data ?? []
  const { title, verb } = words[action]
  if (hasBegun)
    return (
      <BulkJobDialog
        {...{ action, title, count }}
        names={tags.filter(({ id }) => id === tagId).map(({ displayName }) => displayName)}
        begin={() => {
          const given = {
            ...(isArchive && { reason: reason.trim(), suitableOnly: true }),
            ...(isSet && { accessRightsTagId: tagId! }),
          }
          return call(startPropertyBulkAction, { body: { tenant, action, selection, ...given } })
        }}
        onClose={() => onClose(true)}
      />
    )
  return (
    <Dialog
      size={questionWidth}
      title={title(count)}
      onClose={() => onClose(false)}
      actions={
        <>
          <CancelButton />
          <Button disabled={(isArchive && reason.trim() === '') || (isSet && !tagId)} onClick={() => setBegun(true)}>
            {verb}
          </Button>
        </>
      }
    >
      {isArchive && (
        <>
          <p>
            {homes(count)} will leave lists and counts. Records are kept, and archived properties can be restored.
            {occupied > 0 &&
              ` ${homes(occupied)} with devices ${occupied === 1 ? 'stays as it is' : 'stay as they are'}: move or uninstall the devices first.`}
          </p>
          {openCases > 0 && (
            <p>
              {homes(openCases)} {openCases === 1 ? 'has' : 'have'} an open Awaab's Law case and{' '}
              {openCases === 1 ? 'is' : 'are'} left out.
            </p>
          )}
          <Textarea
            label="Reason"
            required
            maxLength={longestArchiveReason}
            value={reason}
            data-autofocus
            onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
          />
        </>
      )}
      {isSet && (
        <>
          <p>People who are limited to this tag will see {count === 1 ? 'the property' : 'the properties'}.</p>
          <AccessRightsPicker label="Access rights tag" chosen={tagId} onChange={setTagId} />
        </>
      )}
      {action === 'remove access rights tag of properties' && (
        <p>{homes(count)} will have no access rights tag. Users who are restricted to a tag no longer see them.</p>
      )}
    </Dialog>
  )
}
