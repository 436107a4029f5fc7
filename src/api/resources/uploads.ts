import type { CallOptions, Place, UploadsApi } from '../api.ts';
import { ApiError } from '../errors.ts';
import type { FileRecord, PartReport } from '../model.ts';
import { parseFile } from '../parse/file.ts';
import { parseReportedParts, parseSignedUrl, parseUploadTicket, partReportBody } from '../parse/upload.ts';
import { asObject, optionalTextAt } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';

type FindFile = (place: Place, options?: CallOptions) => Promise<FileRecord | undefined>;

export function uploadsApi(call: Caller, findFile: FindFile): UploadsApi {
  /** Where unfinished uploads will land: a finished one is no more, and can only be found by its name. */
  const places = new Map<string, Place>();

  const detail = (uploadId: string, query: Record<string, boolean>, options?: CallOptions) =>
    call(
      {
        route: 'GET /upload/multipart/{uploadId}',
        path: { uploadId },
        query,
        parse: (body) => {
          const object = asObject(body, 'upload');
          const parent = optionalTextAt(object, 'parent');
          const name = optionalTextAt(object, 'name');
          if (parent !== undefined && name !== undefined) {
            places.set(uploadId, { parent, name });
          }
          return { ...parseUploadTicket(body), parts: parseReportedParts(body) };
        },
      },
      options,
    );

  const isOver = async (uploadId: string, options?: CallOptions): Promise<boolean> => {
    try {
      await detail(uploadId, {}, options);
      return false;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        return true;
      }
      throw error;
    }
  };

  return {
    // Sent twice after a lost answer, one upload stays empty and unused; it takes no name until it is completed.
    initialise: async ({ parent, name, overwrite, sizeBytes, partSizeBytes }, options) => {
      const ticket = await call(
        {
          route: 'POST /upload/multipart',
          query: { overwrite: overwrite || undefined },
          body: { json: { parent, name, size: sizeBytes, part_size: partSizeBytes } },
          parse: parseUploadTicket,
        },
        options,
      );
      places.set(ticket.uploadId, { parent, name });
      return ticket;
    },

    partUrl: (uploadId, partNumber, options) =>
      call(
        {
          route: 'GET /upload/multipart/{uploadId}/part/{partNumber}',
          path: { uploadId, partNumber },
          parse: parseSignedUrl,
        },
        options,
      ),

    report: (uploadId, parts, options) =>
      call(
        {
          route: 'POST /upload/multipart/{uploadId}',
          path: { uploadId },
          body: { json: { parts: parts.map(partReportBody) } },
          parse: () => undefined,
        },
        options,
      ),

    complete: async (uploadId, parts, options) => {
      const file = await lookBeforeRepeating(
        () => complete(call, uploadId, parts, options),
        async () => {
          const place = places.get(uploadId);
          return place && (await isOver(uploadId, options)) ? findFile(place, options) : undefined;
        },
      );
      places.delete(uploadId);
      return file;
    },

    abort: async (uploadId, options) => {
      await lookBeforeRepeating(
        () =>
          call(
            {
              route: 'DELETE /upload/multipart/{uploadId}',
              path: { uploadId },
              whenLost: 'once',
              parse: () => true as const,
            },
            options,
          ),
        async () => (await isOver(uploadId, options)) || undefined,
      );
      places.delete(uploadId);
    },

    reportedParts: (uploadId, options) => detail(uploadId, { list_parts: true }, options),

    inline: ({ parent, name, overwrite }, content, options) =>
      call(
        {
          route: 'POST /upload/inline',
          query: { parent, name, overwrite: overwrite || undefined },
          body: { bytes: content },
          whenLost: overwrite ? 'repeat' : 'once',
          parse: parseFile,
        },
        options,
      ),
  };
}

function complete(
  call: Caller,
  uploadId: string,
  parts: readonly PartReport[],
  options?: CallOptions,
): Promise<FileRecord> {
  return call(
    {
      route: 'POST /upload/multipart/{uploadId}/complete',
      path: { uploadId },
      body: { json: { parts: parts.map(partReportBody) } },
      whenLost: 'once',
      parse: parseFile,
    },
    options,
  );
}
