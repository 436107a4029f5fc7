/** The front door: the parts of uploads that other subjects may use. */
export { forgetUpload, removeSent } from './forget-upload.ts';
export { uploadsIn } from './upload-table.ts';
