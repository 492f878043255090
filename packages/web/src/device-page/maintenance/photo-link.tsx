import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { getRepairPhoto } from '@caretaker/contract/calls/maintenance.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { IconCamera } from '../../icons/index.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { useObjectUrl } from '../../ui/use-object-url.ts'
import classes from './maintenance.module.css'

interface PhotoProps {
  deviceId: string
  repairId: string
  photoId: string
  name: string
}

/** The name of a repair photograph as a link that opens it. */
export function PhotoLink(props: PhotoProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconCamera size={14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {props.name}
      </Button>
      {isOpen && <PhotoDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function PhotoDialog({ deviceId, repairId, photoId, name, onClose }: PhotoProps & { onClose: () => void }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery({
    queryKey: [tenant, 'repair photo', photoId],
    staleTime: Infinity,
    gcTime: 60_000,
    queryFn: ({ signal }) => call(getRepairPhoto, { query: { tenant, deviceId, repairId, photoId } }, { signal }),
  })
  return (
    <Dialog title={name} size="min(96rem, 94vw)" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      {data ? (
        <Shown file={data} name={name} />
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading the photo" />
      )}
    </Dialog>
  )
}

function Shown({ file, name }: { file: Blob; name: string }) {
  const url = useObjectUrl(() => file)
  return <img className={classes.photo} src={url} alt={name} />
}
