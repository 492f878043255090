import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconDownload } from '../../icons/index.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import type { Acts } from './use-import.ts'
import { counted } from './words.ts'
import classes from './imports.module.css'

/** The credentials of a list's devices: created on request and shown once. */
export function DeviceKeysCard({ list, acts }: { list: Import; acts: Acts }) {
  const [asking, setAsking] = useState<'make' | 'renew'>()
  const { without, neverConnected } = list.deviceKeys
  if (without + neverConnected === 0) return undefined
  return (
    <Card
      title="Keys of the devices"
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={acts.busy}
          onClick={() => setAsking(without > 0 ? 'make' : 'renew')}
        >
          {without > 0 ? 'Download keys' : 'Create new keys'}
        </Button>
      }
    >
      <p className={classes.hint}>
        {without > 0 && `${counted(without, 'device')} of this list cannot connect yet: no key. `}
        {neverConnected > 0 &&
          `${counted(neverConnected, 'device')} of this list ${neverConnected === 1 ? 'has' : 'have'} a key and ${neverConnected === 1 ? 'has' : 'have'} not connected yet.`}
      </p>
      {asking === 'make' && (
        <ConfirmDialog
          title="Download keys"
          verb="Download"
          onConfirm={() => acts.saveKeys(false)}
          onClose={() => setAsking(undefined)}
        >
          <p>
            The file contains the user names, passwords and addresses for {counted(without, 'device')}. You can download
            it only once, because only hashes are stored. Give it to the installers, and keep it safe.
          </p>
        </ConfirmDialog>
      )}
      {asking === 'renew' && (
        <ConfirmDialog
          title="Create new keys"
          verb="Create new keys"
          danger
          onConfirm={() => acts.saveKeys(true)}
          onClose={() => setAsking(undefined)}
        >
          <p>
            New keys are made for {counted(neverConnected, 'device')} without a connection so far, and the previous keys
            stop working. A device that has connected keeps its key.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
