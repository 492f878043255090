import type { ReactNode } from 'react'
import { useId, useRef } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconAlertCircle,
  IconCamera,
  IconCertificate,
  IconFileImport,
  IconUpload,
  IconX,
} from '../../../icons/index.ts'
import { certificateTypes, longestCertificate } from '@caretaker/rules/compliance/records.ts'
import { sizeText } from '../../../ui/size-text.ts'
import classes from './compliance.module.css'

const signatures = ['%PDF-', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff']

/** Why a file cannot be a certificate, checked before upload; the server checks in more detail. */
export async function certificateFault(file: File): Promise<string | undefined> {
  if (file.size > longestCertificate) return `${file.name} is larger than 10 MB.`
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer())
  const text = String.fromCharCode(...head)
  if (signatures.some((signature) => text.startsWith(signature))) return undefined
  return `${file.name} is not a PDF, PNG or JPEG.`
}

interface CertificateFieldProps {
  file: File | null
  onChange: (file: File | null) => void
  /** The fraction of the file sent so far, during upload. */
  sent?: number | undefined
  /** Stops the upload. */
  onStop: () => void
  disabled: boolean
  isDraggedOver: boolean
  /** Why the last chosen file was rejected. */
  notTaken?: string | undefined
  error?: string | undefined
  required: boolean
}

/** The certificate of a record: chosen, dropped or photographed. */
export function CertificateField(props: CertificateFieldProps) {
  const { file, onChange, sent, onStop, disabled, isDraggedOver, notTaken, error, required } = props
  const id = useId()
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  return (
    <div className={classes.field} role="group" aria-labelledby={`${id}-label`}>
      <span id={`${id}-label`} className={classes.label}>
        Certificate
        {required && <span aria-hidden> *</span>}
      </span>
      {file ? (
        <Chosen file={file} sent={sent} disabled={disabled && sent === undefined}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={sent === undefined ? `Remove ${file.name}` : `Stop uploading ${file.name}`}
            disabled={disabled && sent === undefined}
            onClick={() => (sent === undefined ? onChange(null) : onStop())}
          >
            <IconX size={18} aria-hidden />
          </ActionIcon>
        </Chosen>
      ) : isPhone ? (
        <div className={classes.twoWays}>
          <Chooser label="Take photo" icon={<IconCamera size={18} aria-hidden />} photo onChange={onChange} />
          <Chooser label="Choose a file" icon={<IconUpload size={18} aria-hidden />} onChange={onChange} />
        </div>
      ) : (
        <Place isDraggedOver={isDraggedOver} isWrong={error !== undefined} onChange={onChange} />
      )}
      {isPhone && !file && <span className={classes.hint}>PDF, PNG or JPEG, up to 10 MB</span>}
      {notTaken && !file && (
        <p className={classes.notTaken} role="alert">
          <IconAlertCircle size={16} aria-hidden />
          <span>
            <b>This file cannot be attached</b>
            {notTaken}
          </span>
        </p>
      )}
      {error && (
        <p className={classes.fault} role="alert">
          <IconAlertCircle size={15} aria-hidden />
          {error}
        </p>
      )}
    </div>
  )
}

function Chosen({
  file,
  sent,
  children,
}: {
  file: File
  sent: number | undefined
  disabled: boolean
  children: ReactNode
}) {
  return (
    <div className={classes.chosen}>
      <IconCertificate size={20} stroke={1.7} aria-hidden />
      <div>
        <b title={file.name}>{file.name}</b>
        <span className="tabular">
          {sent === undefined
            ? `${sizeText(file.size)}, ready`
            : `${sizeText(sent * file.size)} of ${sizeText(file.size)}`}
        </span>
        {sent !== undefined && (
          <progress max={1} value={sent} aria-label={`Uploading ${file.name}`}>
            {Math.round(sent * 100)}%
          </progress>
        )}
      </div>
      {children}
    </div>
  )
}

interface ChooserProps {
  onChange: (file: File) => void
}

function Place({ isDraggedOver, isWrong, onChange }: ChooserProps & { isDraggedOver: boolean; isWrong: boolean }) {
  if (isDraggedOver)
    return (
      <div className={classes.place} data-over>
        <IconFileImport size={20} stroke={1.7} aria-hidden />
        <b>Drop the file to attach it to this record</b>
      </div>
    )
  return (
    <label className={classes.place} data-wrong={isWrong || undefined}>
      <FileInput label="Certificate" onChange={onChange} />
      <IconUpload size={20} stroke={1.7} aria-hidden />
      <span>
        <span>
          <b>Choose a file</b> or drop it here
        </span>
        <span className={classes.hint}>PDF, PNG or JPEG, up to 10 MB</span>
      </span>
    </label>
  )
}

function Chooser({ label, icon, photo, onChange }: ChooserProps & { label: string; icon: ReactNode; photo?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <span hidden>
        <FileInput ref={input} label={label} photo={photo} onChange={onChange} />
      </span>
    </>
  )
}

interface FileInputProps extends ChooserProps {
  label: string
  photo?: boolean | undefined
  ref?: React.Ref<HTMLInputElement>
}

function FileInput({ label, photo, onChange, ref }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      className="visually-hidden"
      aria-label={label}
      accept={photo ? 'image/jpeg,image/png' : certificateTypes.join()}
      {...(photo && { capture: 'environment' as const })}
      onChange={(event) => {
        const [chosen] = event.currentTarget.files ?? []
        // Lets the same file be chosen again after removal.
        event.currentTarget.value = ''
        if (chosen) onChange(chosen)
      }}
    />
  )
}
