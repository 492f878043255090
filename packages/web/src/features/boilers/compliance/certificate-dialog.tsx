import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { IconCertificate, IconDownload } from '../../../icons/index.ts'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import { useActor } from '../../../api/actor.ts'
import { saveFile } from '../../../api/save-file.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { FailedImage } from '../../../ui/failed-image.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { useObjectUrl } from '../../../ui/use-object-url.ts'
import { certificateQuery } from './queries.ts'
import classes from './compliance.module.css'

type Attachment = BoilerRecord['attachments'][number]

interface CertificateProps {
  deviceId: string
  recordId: string
  attachment: Attachment
}

/** The name of a certificate as a link that opens it. */
export function CertificateLink(props: CertificateProps) {
  const [isOpen, setOpen] = useState(false)
  const { name } = props.attachment
  return (
    <>
      <button type="button" className={classes.link} title={name} onClick={() => setOpen(true)}>
        <IconCertificate size={16} stroke={1.7} aria-hidden />
        <span>{name}</span>
      </button>
      {isOpen && <CertificateDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Shows a certificate as uploaded, with a download. */
function CertificateDialog({ deviceId, recordId, attachment, onClose }: CertificateProps & { onClose: () => void }) {
  const { tenant } = useActor()
  const { attachmentId, name, contentType } = attachment
  const { data, dataUpdatedAt, isError, isFetching, refetch } = useQuery(
    certificateQuery(tenant, { deviceId, recordId, attachmentId }),
  )
  const isImage = contentType !== 'application/pdf'
  const retry = () => void refetch()
  return (
    <Dialog
      title={name}
      onClose={onClose}
      size="min(96rem, 94vw)"
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={!data}
            onClick={() => data && saveFile(new File([data], name, { type: contentType }))}
          >
            Download
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className={classes.viewer}>
        {data && <Shown key={dataUpdatedAt} file={data} contentType={contentType} name={name} onRetry={retry} />}
        {!data && isError && !isFetching && (isImage ? <FailedImage onRetry={retry} /> : <Failed onRetry={retry} />)}
        {!data && (!isError || isFetching) && <Loading label="Loading the certificate" />}
      </div>
    </Dialog>
  )
}

interface ShownProps {
  file: Blob
  contentType: Attachment['contentType']
  name: string
  onRetry: () => void
}

function Shown({ file, contentType, name, onRetry }: ShownProps) {
  // The type found by the server, so that the browser does not guess another one.
  const address = useObjectUrl(() => new Blob([file], { type: contentType }))
  const [isBroken, setBroken] = useState(false)
  if (contentType !== 'application/pdf')
    return isBroken ? (
      <FailedImage onRetry={onRetry} />
    ) : (
      <img src={address} alt={name} onError={() => setBroken(true)} />
    )
  if (!navigator.pdfViewerEnabled)
    return <p className={classes.sentence}>This browser cannot show PDFs in a page. Download the file to view it.</p>
  // oxlint-disable-next-line react/iframe-missing-sandbox -- browsers do not show PDFs in a sandbox; the server rejects PDFs with active content
  return <iframe src={address} title={name} />
}
